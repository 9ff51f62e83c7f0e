/**
 * A view as one string and back. Default values are left out, so that a simple view is short and a
 * view written by an older version still works.
 */
import { formatTimeFull, parseTime } from '../../base/time';
import { isZone } from '../../base/zone';
import type { RangeChoice } from './ranges';
import { START, type FollowUp, type Json, type ViewColumn, type ViewState } from './viewstate';

/** The text form of a part of a view. Reading returns undefined for an invalid text. */
interface ViewPart<T> {
  write(value: T): string;
  read(text: string): T | undefined;
}

const MARK = 'timberline-view';
export const VERSION = '1';

const plain: ViewPart<string> = { write: (value) => value, read: (text) => text };

function choice<T extends string>(...choices: readonly T[]): ViewPart<T> {
  return { write: (value) => value, read: (text) => choices.find((each) => each === text) };
}

function json<T>(understood: (value: Json | undefined) => T | undefined): ViewPart<T> {
  return {
    write: (value) => JSON.stringify(value),
    read: (text) => {
      try {
        return understood(JSON.parse(text) as Json);
      } catch {
        return undefined;
      }
    },
  };
}

type Members = { readonly [name: string]: Json | undefined };

function members(value: Json | undefined): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Members)
    : {};
}

function list<T>(understood: (value: Members) => T | undefined) {
  return json<readonly T[]>((value) => {
    if (!Array.isArray(value)) return undefined;
    return value
      .map((each: Json) => understood(members(each)))
      .filter((each) => each !== undefined);
  });
}

const lines = json<readonly string[]>((value) =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : undefined,
);

const range: ViewPart<RangeChoice> = {
  write: (value) => {
    if (value === null) return '';
    const ends = [value.from, value.to].map((time) => formatTimeFull(time).replace(' ', 'T'));
    return [...ends, ...(value.written === undefined ? [] : [value.written])].join('/');
  },
  read: (text) => {
    if (text === '') return null;
    const [first = '', second = '', ...rest] = text.split('/');
    const from = parseTime(first);
    const to = parseTime(second);
    if (from === null || to === null || from >= to) return undefined;
    return rest.length === 0 ? { from, to } : { from, to, written: rest.join('/') };
  },
};

const PARTS: { readonly [Name in keyof ViewState]: ViewPart<ViewState[Name]> } = {
  query: plain,
  off: lines,
  pinned: lines,
  range,
  order: choice('oldestFirst', 'newestFirst'),
  sort: json((value) => {
    if (value === null) return null;
    const { field, descending } = members(value);
    return typeof field === 'string' ? { field, descending: descending === true } : undefined;
  }),
  columns: list<ViewColumn>(({ field, widthPx, pinned }) => {
    if (typeof field !== 'string') return undefined;
    const width = typeof widthPx === 'number' && widthPx > 0 ? widthPx : null;
    return { field, widthPx: width, pinned: pinned === true };
  }),
  tab: plain,
  followUps: list<FollowUp>(({ id, kind, title, about }) => {
    const named = [id, kind, title].every((each) => typeof each === 'string');
    return named
      ? { id: id as string, kind: kind as string, title: title as string, about: about ?? null }
      : undefined;
  }),
  timeline: json((value) => {
    const { split, scale, lanes, widthNs, folded, pinned } = members(value);
    return {
      split: typeof split === 'string' && split !== '' ? split : START.timeline.split,
      scale: scale === 'logarithmic' ? scale : 'linear',
      lanes: lanes === true,
      widthNs: typeof widthNs === 'string' && /^[1-9]\d{0,17}$/.test(widthNs) ? widthNs : null,
      folded: folded === true,
      pinned: (Array.isArray(pinned) ? pinned : []).flatMap((each: Json) => {
        const { id, text } = members(each);
        const isTemplate = typeof id === 'string' && /^[stgf][0-9a-f]{16}$/.test(id);
        return isTemplate ? [{ id, text: typeof text === 'string' ? text : id }] : [];
      }),
    };
  }),
  zone: {
    write: (value) => value,
    read: (text) => (text === 'local' || isZone(text) ? text : undefined),
  },
  charts: json((value) => value),
  comparison: json((value) => value),
};

const NAMES = Object.keys(PARTS) as (keyof ViewState)[];

function written<Name extends keyof ViewState>(state: ViewState, name: Name): string {
  return PARTS[name].write(state[name]);
}

export function textOfView(state: ViewState): string {
  const text = new URLSearchParams({ [MARK]: VERSION });
  for (const name of NAMES) {
    const part = written(state, name);
    if (part !== written(START, name)) text.set(name, part);
  }
  return text.toString();
}

/** A view as it was read from a text. */
export interface ReadView {
  readonly view: ViewState;
  /** The parts that could not be read, and have their defaults. */
  readonly unread: readonly (keyof ViewState)[];
}

/** Reads a view. Null if the text is none of this version; parts with other names are ignored. */
export function readView(text: string): ReadView | null {
  const read = new URLSearchParams(text.trim());
  if (read.get(MARK) !== VERSION) return null;
  const unread: (keyof ViewState)[] = [];
  const parts = NAMES.flatMap((name) => {
    const part = read.get(name);
    if (part === null) return [];
    const value = PARTS[name].read(part);
    if (value !== undefined) return [[name, value]];
    unread.push(name);
    return [];
  });
  return { view: { ...START, ...(Object.fromEntries(parts) as Partial<ViewState>) }, unread };
}

/** Null if the text is no view. A part that cannot be read has its default. */
export function viewOfText(text: string): ViewState | null {
  return readView(text)?.view ?? null;
}

/** The version of a view's text; null if it has none. */
export function versionOf(text: string): string | null {
  return new URLSearchParams(text).get(MARK);
}

/** Whether two views show the same. */
export function sameView(a: ViewState, b: ViewState): boolean {
  return (
    a === b || NAMES.every((name) => a[name] === b[name] || written(a, name) === written(b, name))
  );
}
