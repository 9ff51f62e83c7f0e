import type { Lifetime } from '../../base/lifetime';
import { engineError, type Client, type EngineError } from '../../ipc/client';
import type { EventId, Order, Page, Row, View } from '../../ipc/generated';
import { Request } from '../request.svelte';
import { PAGE_ROWS, PageCache } from './pagecache';
import type { ViewSort } from '../view/viewstate';

/** Cached pages: 60 of 200 rows are far more than any screen, and a few megabytes. */
const PAGES_KEPT = 60;
/** Few, so that a scrollbar dragged through the case does not queue requests that nobody waits for. */
const MOST_UNDER_WAY = 3;
/** Rows prefetched on both sides of the visible ones. */
const AHEAD_ROWS = 60;
/** How far from its last row an event is searched after rows have moved. */
const SEARCH_ROWS = 1000;

/** The order of the list, and the fields whose values come with each row. */
export interface Listing {
  readonly order: Order;
  /** Null sorts by time. */
  readonly sort: ViewSort | null;
  readonly fields: readonly string[];
}

interface RowsRequest {
  readonly view: View;
  readonly listing: Listing;
  /** Two requests with the same list have the same rows at the same positions. */
  readonly list: string;
  readonly key: string;
}

/** Notified when rows move, to keep positions in the list. */
export interface RowsListener {
  /** Another list is shown. */
  replaced(): void;
  /** Rows of the current list have arrived. */
  came(): void;
}

/**
 * The rows of the list. The rows of the last view stay visible until the first page of the next one
 * arrives, so that a new filter never shows an empty list in between.
 */
export class Rows {
  total = $state(0);
  /** False until the first answer: unknown is not the same as empty. */
  known = $state(false);
  /** Increases whenever rows arrive; whatever shows rows depends on it. */
  version = $state(0);
  /** Increases when the list is replaced, and scrolls to its top. */
  generation = $state(0);
  busy = $state(false);
  failure = $state.raw<EngineError | null>(null);
  elapsedMs = $state(0);
  /** New rows are shown only together with the last ones, so that the end of the list is never empty. */
  followsEnd = false;

  /** Whether another list was asked for than is shown. */
  #isOther = $state(false);
  readonly #client: Client;
  readonly #listener: RowsListener;
  readonly #cache = new PageCache<Row>(PAGES_KEPT);
  readonly #underWay = new Map<string, AbortController>();
  readonly #atEnd: Request<RowsRequest, Page>;
  #asked: RowsRequest | null = null;
  #shown: RowsRequest | null = null;
  /** The list before only the columns changed: its texts are the same. */
  #former: RowsRequest | null = null;
  #ends = 0;
  readonly #lifetime: Lifetime;
  #seen = { first: 0, last: 0 };
  /** The revision of the rows that arrived last. */
  #revision: number | null = null;

  constructor(lifetime: Lifetime, client: Client, listener: RowsListener) {
    this.#lifetime = lifetime;
    this.#atEnd = new Request(
      lifetime,
      async (asked, { signal }) => {
        const answer = await this.#lastPages(asked, signal).catch((cause: unknown) => {
          if (!signal.aborted) this.#failed(engineError(cause));
          throw cause;
        });
        if (signal.aborted || asked.key !== this.#asked?.key) return answer;
        this.#show(asked);
        this.#took(answer);
        return answer;
      },
      // The end is wherever it is now, also of a list that was shown before.
      { ignoresGrowth: true, key: () => String((this.#ends += 1)) },
    );
    lifetime.onEnd(() => this.#abandon());
    lifetime.onGrowth(() => this.#refresh());
    this.#client = client;
    this.#listener = listener;
  }

  /** The revision of the case that the rows are of; null before the first. */
  get revision(): number | null {
    return this.#revision;
  }

  /** Whether the rows are not those that were asked for, or could not be brought up to date. */
  get isStale(): boolean {
    return this.known && (this.#isOther || this.failure !== null);
  }

  /** The row at an index, or undefined while its page loads. */
  at(index: number): Row | undefined {
    const shown = this.#shown;
    if (shown === null) return undefined;
    const row = this.#cache.row(shown.key, index);
    if (row !== undefined || this.#former === null) return row;
    const former = this.#cache.row(this.#former.key, index);
    // Its values are those of other columns; the cached row stays complete, for switching back.
    return former === undefined ? undefined : { ...former, values: [] };
  }

  /** The value of a column, null if the event has none; undefined while it loads. */
  value(row: Row, field: string): string | null | undefined {
    const at = this.#shown?.listing.fields.indexOf(field) ?? -1;
    return at < 0 ? undefined : row.values?.[at];
  }

  /** The event at an index that can be far from the visible rows; null if the list has no such index. */
  async idAt(index: number, signal: AbortSignal): Promise<EventId | null> {
    const known = this.at(index);
    if (known !== undefined) return known.id;
    const shown = this.#shown;
    if (shown === null || index >= this.total) return null;
    const page = Math.floor(index / PAGE_ROWS);
    const { epoch } = this.#lifetime;
    const answer = await this.#ask(shown, page, signal);
    this.#cache.put(shown.key, page, epoch, answer.rows);
    return answer.rows[index - page * PAGE_ROWS]?.id ?? null;
  }

  /** The row of an event, searched among the cached rows, nearest to an index first. */
  indexNear(id: EventId, place: number): number {
    for (let distance = 0; distance <= SEARCH_ROWS; distance += 1) {
      for (const index of [place + distance, place - distance]) {
        const found = this.at(index)?.id;
        if (found?.source === id.source && found.offset === id.offset) return index;
      }
    }
    return -1;
  }

  /** A person requested another list, or other columns of the same one. */
  show(view: View, listing: Listing): void {
    // The rows that are shown are those of the revision that is asked for from now on.
    const list = JSON.stringify([{ ...view, revision: undefined }, listing.order, listing.sort]);
    const asked = { view, listing, list, key: `${list} ${JSON.stringify(listing.fields)}` };
    if (view.revision !== this.#asked?.view.revision) {
      // Pages on their way, and those in the cache, may be of other revisions. The engine keeps the one that is asked for now.
      this.#abortAll();
      this.#cache.outdate();
    }
    this.#asked = asked;
    this.#isOther = this.#shown !== null && list !== this.#shown.list;
    if (asked.key === this.#shown?.key) {
      this.#fetchSeen();
      return;
    }
    this.#abortAll();
    if (list === this.#shown?.list) {
      // The same rows stay in place while the values of their new columns load.
      this.#former = this.#shown;
      this.#shown = asked;
      this.version += 1;
      this.failure = null;
      this.#fetchSeen();
      return;
    }
    if (this.followsEnd && this.#shown !== null) this.#fetchEnd(asked);
    else this.#fetch(asked, 0);
  }

  /** The same view has newer rows. */
  #refresh(): void {
    // A request that failed may succeed now, for example if a file was just being replaced.
    this.failure = null;
    if (this.followsEnd && this.#asked !== null && this.#shown !== null)
      this.#fetchEnd(this.#asked);
    else this.#fetchSeen();
  }

  /** Sets the visible rows. */
  see(first: number, last: number): void {
    this.#seen = { first, last };
    this.#fetchSeen();
  }

  retry(): void {
    this.failure = null;
    if (this.#asked !== null) this.show(this.#asked.view, this.#asked.listing);
  }

  #abortAll(): void {
    for (const abort of this.#underWay.values()) abort.abort();
    this.#underWay.clear();
    this.#atEnd.stop();
  }

  #abandon(): void {
    this.#abortAll();
    this.#asked = null;
  }

  #fetchSeen(): void {
    const asked = this.#asked;
    if (asked === null) return;
    if (asked.key !== this.#shown?.key) {
      if (!this.#atEnd.busy) this.#fetch(asked, 0);
      return;
    }
    // After a failure only a person's retry sends a request, or a broken engine would get requests
    // for ever.
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

  /** Shows a list, or what is new in it, as soon as its last rows are there. */
  #fetchEnd(asked: RowsRequest): void {
    this.#atEnd.ask(asked, 'follow');
  }

  /** Requests the last pages. How long the list is now, the first answer says. */
  async #lastPages(asked: RowsRequest, signal: AbortSignal): Promise<Page> {
    const { epoch } = this.#lifetime;
    const pageOf = (row: number) => Math.floor(Math.max(0, row) / PAGE_ROWS);
    const guessed = pageOf(this.total - 1);
    const answer = await this.#ask(asked, guessed, signal);
    this.#cache.put(asked.key, guessed, epoch, answer.rows);
    const last = answer.total - 1;
    for (let page = pageOf(last - AHEAD_ROWS); page <= pageOf(last); page += 1) {
      const lastOf = Math.min(last, (page + 1) * PAGE_ROWS - 1);
      if (last < 0 || this.#cache.row(asked.key, lastOf) !== undefined) continue;
      const { rows } = await this.#ask(asked, page, signal);
      this.#cache.put(asked.key, page, epoch, rows);
    }
    return answer;
  }

  #fetch(asked: RowsRequest, page: number): void {
    const { epoch } = this.#lifetime;
    const id = `${page} ${asked.key}`;
    if (this.#underWay.has(id) || this.#underWay.size >= MOST_UNDER_WAY) return;
    if (asked.key === this.#shown?.key && this.#cache.isFresh(asked.key, page, epoch)) return;
    const abort = new AbortController();
    this.#underWay.set(id, abort);
    this.busy = true;
    this.#ask(asked, page, abort.signal)
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
        // Rows that came into sight during too many requests are requested now.
        if (!abort.signal.aborted && this.#asked?.key === this.#shown?.key) this.#fetchSeen();
      });
  }

  #ask(asked: RowsRequest, page: number, signal: AbortSignal): Promise<Page> {
    const { view, listing } = asked;
    const { order, sort, fields } = listing;
    const rows = { first: page * PAGE_ROWS, count: PAGE_ROWS, columns: [...fields] };
    return sort === null
      ? this.#client.call('page', { view, order, ...rows }, { signal })
      : this.#client.call('sortedPage', { view, ...sort, ...rows }, { signal });
  }

  #received(asked: RowsRequest, page: number, epoch: number, answer: Page): void {
    this.#cache.put(asked.key, page, epoch, answer.rows);
    if (asked.key !== this.#asked?.key) return;
    const isShown = asked.key === this.#shown?.key;
    if (!isShown) this.#seen = { first: 0, last: PAGE_ROWS - 1 };
    this.#show(asked);
    // The end moves only together with its rows.
    this.#took(isShown && this.followsEnd ? { ...answer, total: this.total } : answer);
  }

  #show(asked: RowsRequest): void {
    if (asked.key === this.#shown?.key) return;
    this.#shown = asked;
    this.#isOther = false;
    this.#former = null;
    this.generation += 1;
    this.#listener.replaced();
  }

  #took(answer: Page): void {
    this.total = answer.total;
    this.#revision = answer.revision;
    this.known = true;
    this.failure = null;
    this.elapsedMs = answer.elapsedMs;
    this.version += 1;
    this.#listener.came();
  }

  #failed(error: EngineError): void {
    // A wrong query is reported at the query bar; the rows of the last valid one stay.
    if (error.code === 'cancelled' || error.code === 'queryInvalid') return;
    this.failure = error;
  }
}
