import type { Note } from '../../ipc/generated';
import type { Notes } from '../notes/notes.svelte';
import { START, type ViewState } from '../view/viewstate';
import { textOfView, viewOfText } from '../view/viewtext';
import type { CaseStorage } from '../workbench/casestorage';

/** The number of recent queries; more than anybody walks through. */
const MOST_RECENT = 50;
const KIND = 'query';

/** The parts of a view that are saved; the others stay as they are when it is shown. */
const SAVED = [
  'query',
  'off',
  'pinned',
  'range',
  'order',
  'sort',
  'columns',
  'tab',
  'charts',
  'zone',
] as const satisfies (keyof ViewState)[];

export type SavedParts = Pick<ViewState, (typeof SAVED)[number]>;

export interface SavedView {
  readonly name: string;
  readonly query: string;
  /** Null for a query that was saved alone, by an older version. */
  readonly parts: SavedParts | null;
}

function partsOf(view: ViewState): SavedParts {
  return Object.fromEntries(SAVED.map((name) => [name, view[name]])) as unknown as SavedParts;
}

/** A view as the data of its note, and back. Anybody can have written the note. */
function dataOf(view: ViewState): { view: string } {
  // Follow-up tabs are not saved.
  const isPassing = view.followUps.some(({ id }) => id === view.tab);
  const tab = isPassing ? START.tab : view.tab;
  return { view: textOfView({ ...START, ...partsOf(view), tab }) };
}

function savedView({ id, text, data }: Note): SavedView {
  const written = (data as { view?: unknown } | null)?.view;
  const view = typeof written === 'string' ? viewOfText(written) : null;
  const parts = view === null ? null : { ...partsOf(view), query: text };
  return { name: id, query: text, parts };
}

/** Recent queries, the latest first, and saved views, which are stored in the case. */
export class SavedQueries {
  recent = $state.raw<readonly string[]>([]);

  readonly #storage: CaseStorage;
  readonly #notes: Pick<Notes, 'ofKind' | 'change'>;

  readonly saved: readonly SavedView[] = $derived.by(() =>
    this.#notes
      .ofKind(KIND)
      .map(savedView)
      .sort((one, other) => one.name.localeCompare(other.name)),
  );

  constructor(storage: CaseStorage, notes: Pick<Notes, 'ofKind' | 'change'>) {
    this.#storage = storage;
    this.#notes = notes;
    this.recent = texts(storage.read('recent'));
  }

  asked(query: string): void {
    if (query === '' || this.recent[0] === query) return;
    const others = this.recent.filter((each) => each !== query);
    this.recent = [query, ...others].slice(0, MOST_RECENT);
    this.#storage.write('recent', JSON.stringify(this.recent));
  }

  /** A name has one view: saving another replaces it. True if it is stored. */
  save(name: string, view: ViewState): Promise<boolean> {
    return this.#notes.change([{ kind: KIND, id: name, text: view.query, data: dataOf(view) }]);
  }

  remove(name: string): Promise<boolean> {
    return this.#notes.change([], [{ kind: KIND, id: name }]);
  }
}

function texts(text: string | null): readonly string[] {
  try {
    const found: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(found) ? found.filter((each) => typeof each === 'string') : [];
  } catch {
    return [];
  }
}
