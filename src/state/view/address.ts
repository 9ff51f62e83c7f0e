/**
 * The part of an address after its `#`: a case, and a view of it. The token of the server is never
 * there: it is taken from the address before the first view is written to it.
 */
import { START, type ViewState } from './viewstate';
import { readView, VERSION, versionOf, viewOfText } from './viewtext';

/** Browsers and chats cut longer addresses off; a view that needs more is not in its address. */
export const MOST_CHARACTERS = 60_000;

/** Why an address does not show what it was made of. */
export interface AddressProblem {
  readonly kind: 'damaged' | 'newer' | 'unread' | 'otherCase';
  /** The parts that could not be read, or the other case. */
  readonly about: string;
}

export interface Address {
  /** Null means any case. */
  readonly caseName: string | null;
  /** Null means the view of the case that this browser has stored. */
  readonly view: ViewState | null;
  readonly problem: AddressProblem | null;
}

/** The folder of a case without those that it is in, which are nobody else's business. */
export function caseNameOf(path: string): string {
  const places = /^with:[^:]*:/.exec(path)?.[0] ?? '';
  const folders = path.slice(places.length).split(/[/\\]/);
  return places + (folders.findLast((name) => name !== '') ?? '');
}

/** The address of a view, given as its text. */
export function addressOf(caseName: string, view: string): string {
  const named = new URLSearchParams({ case: caseName }).toString();
  const whole = `${named}&${view}`;
  return whole.length <= MOST_CHARACTERS ? whole : named;
}

/** Null if the address names nothing. */
export function readAddress(hash: string): Address | null {
  if (hash === '') return null;
  const caseName = new URLSearchParams(hash).get('case');
  const version = versionOf(hash);
  if (version === null && caseName !== null) return { caseName, view: null, problem: null };
  const read = readView(hash);
  if (read === null) {
    const kind = Number(version) > Number(VERSION) ? 'newer' : 'damaged';
    return { caseName, view: START, problem: { kind, about: '' } };
  }
  const { view, unread } = read;
  const problem = { kind: 'unread', about: unread.join(', ') } as const;
  return { caseName, view, problem: unread.length === 0 ? null : problem };
}

/** A view from what a person pastes: its text, or a link to it. Null if it is neither. */
export function viewOfPasted(text: string): ViewState | null {
  const link = /^\s*\w[\w+.-]*:\/\/[^#\s]*#/.exec(text)?.[0] ?? '';
  return viewOfText(text.slice(link.length));
}
