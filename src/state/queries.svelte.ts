import type { Keep } from './kept';

/** Queries that are remembered; more than anybody walks through. */
const MOST_RECENT = 50;

export interface SavedQuery {
  readonly name: string;
  readonly query: string;
}

/** Where saved queries are kept. The window keeps them until the case does. */
export interface SavedQueries {
  list(): Promise<readonly SavedQuery[]>;
  save(saved: SavedQuery): Promise<void>;
  remove(name: string): Promise<void>;
}

/** Queries that were asked, the last first, and those that were given a name. */
export class Queries {
  recent = $state.raw<readonly string[]>([]);
  saved = $state.raw<readonly SavedQuery[]>([]);

  readonly #keep: Keep;
  readonly #store: SavedQueries;

  constructor(keep: Keep, store: SavedQueries = keptInWindow(keep)) {
    this.#keep = keep;
    this.#store = store;
    this.recent = texts(keep.read('recent'));
    void this.#load();
  }

  asked(query: string): void {
    if (query === '' || this.recent[0] === query) return;
    const others = this.recent.filter((each) => each !== query);
    this.recent = [query, ...others].slice(0, MOST_RECENT);
    this.#keep.write('recent', JSON.stringify(this.recent));
  }

  async save(name: string, query: string): Promise<void> {
    await this.#store.save({ name, query });
    await this.#load();
  }

  async remove(name: string): Promise<void> {
    await this.#store.remove(name);
    await this.#load();
  }

  async #load(): Promise<void> {
    this.saved = await this.#store.list();
  }
}

/** Under a name there is one query: saving another replaces it. */
function keptInWindow(keep: Keep): SavedQueries {
  const read = () => saved(keep.read('saved'));
  const write = (all: readonly SavedQuery[]) => keep.write('saved', JSON.stringify(all));
  const without = (name: string) => read().filter((each) => each.name !== name);
  return {
    list: () => Promise.resolve(read()),
    save: (each) => Promise.resolve(write([...without(each.name), each])),
    remove: (name) => Promise.resolve(write(without(name))),
  };
}

function parsed(text: string | null): readonly unknown[] {
  try {
    const found: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

function texts(text: string | null): readonly string[] {
  return parsed(text).filter((each) => typeof each === 'string');
}

function saved(text: string | null): readonly SavedQuery[] {
  return parsed(text).flatMap((each) => {
    const { name, query } = (each ?? {}) as Partial<SavedQuery>;
    return typeof name === 'string' && typeof query === 'string' ? [{ name, query }] : [];
  });
}
