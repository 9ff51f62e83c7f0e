import { engineError, type Client, type EngineError } from '../ipc/client';
import type { EventId, Order, Page, Row, View } from '../ipc/generated';
import { PAGE_ROWS, PageCache } from './pages';

/** Pages kept: 60 of 200 rows are far more than any screen, and a few megabytes. */
const PAGES_KEPT = 60;
/** Few, so that a scrollbar dragged through the case does not queue work nobody waits for. */
const MOST_UNDER_WAY = 3;
/** Rows fetched ahead on both sides of what is seen. */
const AHEAD_ROWS = 60;
/** How far from its last place an event is looked for when rows have moved. */
const SEARCH_ROWS = 1000;

interface Asked {
  readonly view: View;
  readonly order: Order;
  readonly key: string;
}

/** Who keeps a place in the list has to hear when its rows move. */
export interface RowsListener {
  /** Another list is shown. */
  replaced(): void;
  /** Rows of the list that is shown have come. */
  came(): void;
}

/**
 * The rows of the list. The rows of the last view stay in sight until the first page of the next
 * one has come, so that a new filter never shows an empty list on the way.
 */
export class Rows {
  total = $state(0);
  /** False until the first answer: nothing is known yet, which is not the same as nothing found. */
  known = $state(false);
  /** Grows whenever rows have come; who shows rows depends on it. */
  version = $state(0);
  /** Grows when the list is another one, and begins at its top. */
  generation = $state(0);
  busy = $state(false);
  failure = $state.raw<EngineError | null>(null);
  elapsedMs = $state(0);

  readonly #client: Client;
  readonly #listener: RowsListener;
  readonly #cache = new PageCache<Row>(PAGES_KEPT);
  readonly #underWay = new Map<string, AbortController>();
  #asked: Asked | null = null;
  #shownKey = '';
  #epoch = 0;
  #seen = { first: 0, last: 0 };

  constructor(client: Client, listener: RowsListener) {
    this.#client = client;
    this.#listener = listener;
  }

  /** The row at this place, or undefined while its page is on the way. */
  at(index: number): Row | undefined {
    return this.#cache.row(this.#shownKey, index);
  }

  /** Where an event stands now, looked for among the rows at hand, nearest to a place first. */
  indexNear(id: EventId, place: number): number {
    for (let distance = 0; distance <= SEARCH_ROWS; distance += 1) {
      for (const index of [place + distance, place - distance]) {
        const found = this.at(index)?.id;
        if (found?.source === id.source && found.offset === id.offset) return index;
      }
    }
    return -1;
  }

  /** A person asked for another view: its top is what counts now. */
  show(view: View, order: Order): void {
    const key = JSON.stringify([view, order]);
    this.#asked = { view, order, key };
    if (key === this.#shownKey) {
      this.#fetchSeen();
      return;
    }
    for (const abort of this.#underWay.values()) abort.abort();
    this.#underWay.clear();
    this.#fetch(this.#asked, 0);
  }

  /** The same view has newer rows. */
  refresh(epoch: number): void {
    this.#epoch = epoch;
    // What failed a moment ago may work now, as when a file was just being replaced.
    this.failure = null;
    this.#fetchSeen();
  }

  /** Says which rows are in sight. */
  see(first: number, last: number): void {
    this.#seen = { first, last };
    this.#fetchSeen();
  }

  retry(): void {
    this.failure = null;
    if (this.#asked !== null) this.show(this.#asked.view, this.#asked.order);
  }

  dispose(): void {
    for (const abort of this.#underWay.values()) abort.abort();
    this.#asked = null;
  }

  #fetchSeen(): void {
    const asked = this.#asked;
    if (asked === null) return;
    if (asked.key !== this.#shownKey) {
      this.#fetch(asked, 0);
      return;
    }
    // After a failure only a person's retry asks again, or a broken engine would be asked for ever.
    if (this.failure !== null) return;
    const pageOf = (row: number) => Math.floor(row / PAGE_ROWS);
    const lastRow = Math.max(0, this.total - 1);
    const [first, last] = [pageOf(this.#seen.first), pageOf(Math.min(this.#seen.last, lastRow))];
    const before = pageOf(Math.max(0, this.#seen.first - AHEAD_ROWS));
    const after = pageOf(Math.min(this.#seen.last + AHEAD_ROWS, lastRow));
    const wanted = [];
    for (let page = first; page <= last; page += 1) wanted.push(page);
    for (const page of [...wanted, after, before]) this.#fetch(asked, page);
  }

  #fetch(asked: Asked, page: number): void {
    const epoch = this.#epoch;
    const id = `${page} ${asked.key}`;
    if (this.#underWay.has(id) || this.#underWay.size >= MOST_UNDER_WAY) return;
    if (asked.key === this.#shownKey && this.#cache.isFresh(asked.key, page, epoch)) return;
    const abort = new AbortController();
    this.#underWay.set(id, abort);
    this.busy = true;
    this.#client
      .call(
        'page',
        { view: asked.view, order: asked.order, first: page * PAGE_ROWS, count: PAGE_ROWS },
        { signal: abort.signal },
      )
      .then(
        (answer) => {
          if (!abort.signal.aborted) this.#received(asked, page, epoch, answer);
        },
        (cause: unknown) => {
          if (!abort.signal.aborted) this.#failed(engineError(cause));
        },
      )
      .finally(() => {
        if (this.#underWay.get(id) === abort) this.#underWay.delete(id);
        this.busy = this.#underWay.size > 0;
        // What came into sight while too much was under way gets its turn now.
        if (!abort.signal.aborted && this.#asked?.key === this.#shownKey) this.#fetchSeen();
      });
  }

  #received(asked: Asked, page: number, epoch: number, answer: Page): void {
    this.#cache.put(asked.key, page, epoch, answer.rows);
    if (asked.key !== this.#asked?.key) return;
    if (asked.key !== this.#shownKey) {
      this.#shownKey = asked.key;
      this.#seen = { first: 0, last: PAGE_ROWS - 1 };
      this.generation += 1;
      this.#listener.replaced();
    }
    this.total = answer.total;
    this.known = true;
    this.failure = null;
    this.elapsedMs = answer.elapsedMs;
    this.version += 1;
    this.#listener.came();
  }

  #failed(error: EngineError): void {
    // A wrong query is told at the query bar; the rows of the last right one stay.
    if (error.code === 'cancelled' || error.code === 'queryInvalid') return;
    this.failure = error;
  }
}
