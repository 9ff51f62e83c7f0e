import type { CaseStorage } from '../workbench/casestorage';
import type { Notes } from '../notes/notes.svelte';

/** The number of recent queries; more than anybody walks through. */
const MOST_RECENT = 50;
const KIND = 'query';

export interface SavedQuery {
  readonly name: string;
  readonly query: string;
}

/** Recent queries, the latest first, and saved queries, which are stored in the case. */
export class SavedQueries {
  recent = $state.raw<readonly string[]>([]);

  readonly #storage: CaseStorage;
  readonly #notes: Pick<Notes, 'ofKind' | 'change'>;

  readonly saved: readonly SavedQuery[] = $derived.by(() =>
    this.#notes
      .ofKind(KIND)
      .map(({ id, text }) => ({ name: id, query: text }))
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

  /** A name has one query: saving another replaces it. True if it is stored. */
  save(name: string, query: string): Promise<boolean> {
    return this.#notes.change([{ kind: KIND, id: name, text: query }]);
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
