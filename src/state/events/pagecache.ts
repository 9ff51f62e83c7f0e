/** Rows are fetched and cached in pages, so that scrolling makes few requests with small answers. */
export const PAGE_ROWS = 200;

interface CachedPage<T> {
  readonly epoch: number;
  readonly rows: readonly T[];
}

/**
 * The most recently used pages, of several views.
 *
 * A view is identified by a key of everything that decides its rows (filter, range, order). While a
 * case grows the same view has newer answers, counted by `epoch`: an old page is still returned,
 * because recent data is better than nothing, but it counts as stale.
 */
export class PageCache<T> {
  readonly #capacity: number;
  // A Map keeps insertion order, which makes it an LRU list.
  readonly #pages = new Map<string, CachedPage<T>>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** The row, or undefined until its page arrives. */
  row(view: string, index: number): T | undefined {
    const page = Math.floor(index / PAGE_ROWS);
    const key = pageKey(view, page);
    const entry = this.#pages.get(key);
    if (entry === undefined) return undefined;
    this.#pages.delete(key);
    this.#pages.set(key, entry);
    return entry.rows[index - page * PAGE_ROWS];
  }

  put(view: string, page: number, epoch: number, rows: readonly T[]): void {
    const key = pageKey(view, page);
    const known = this.#pages.get(key);
    // Answers can overtake each other; an older one must not replace a newer one.
    if (known !== undefined && known.epoch > epoch) return;
    this.#pages.delete(key);
    this.#pages.set(key, { epoch, rows });
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= this.#capacity) break;
      this.#pages.delete(oldest);
    }
  }

  /** All pages count as stale. Their rows stay until newer ones arrive. */
  outdate(): void {
    for (const [key, { rows }] of this.#pages) this.#pages.set(key, { epoch: -1, rows });
  }

  isFresh(view: string, page: number, epoch: number): boolean {
    return (this.#pages.get(pageKey(view, page))?.epoch ?? -1) >= epoch;
  }
}

function pageKey(view: string, page: number): string {
  return `${page} ${view}`;
}
