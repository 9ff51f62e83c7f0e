import { Latest } from '../../base/latest';
import type { Lifetime } from '../../base/lifetime';
import { asTime, nanosFromTime, timeFromNanos, type Time } from '../../base/time';
import type { Client } from '../../ipc/client';
import type { Order, Page, View } from '../../ipc/generated';
import type { QueryParts } from '../query/queryparts';
import type { RangeChoice } from '../view/ranges';

/** Clauses that are removed one at a time; of a longer filter, the first ones. */
const MOST_CLAUSES = 8;

/** A clause without which there would be matches. */
export interface BlockingClause {
  readonly at: number;
  readonly text: string;
  readonly events: number;
}

/** Alternatives to a view without matches. */
export interface Alternatives {
  /** The matching events before and after the time range that are nearest to it. */
  readonly before: Time | null;
  readonly after: Time | null;
  /** Events that match at any time. */
  readonly anytime: number;
  readonly blockingClauses: readonly BlockingClause[];
}

const NO_ALTERNATIVES: Alternatives = {
  before: null,
  after: null,
  anytime: 0,
  blockingClauses: [],
};

/** Finds alternatives to a view without matches: the nearest times, and clauses to remove. */
export class EmptyResult {
  alternatives = $state.raw<Alternatives>(NO_ALTERNATIVES);
  looking = $state(false);

  readonly #client: Client;
  readonly #latest: Latest<Alternatives>;

  constructor(lifetime: Lifetime, client: Client) {
    this.#latest = new Latest(lifetime, (busy) => (this.looking = busy));
    this.#client = client;
  }

  look(view: View, range: RangeChoice, parts: QueryParts, revision: number): void {
    this.alternatives = NO_ALTERNATIVES;
    this.#latest.replace({
      key: JSON.stringify([view, parts.clauses.length, revision]),
      load: (signal) => this.#search(view, range, parts, signal),
      done: (ways) => (this.alternatives = ways),
      // Without alternatives the list only says that nothing matches.
      failed: () => {},
    });
  }

  stop(): void {
    this.#latest.stop();
  }

  async #search(
    view: View,
    range: RangeChoice,
    parts: QueryParts,
    signal: AbortSignal,
  ): Promise<Alternatives> {
    const blockingClauses = await this.#blockingClauses(view, parts, signal);
    if (range === null) return { ...NO_ALTERNATIVES, blockingClauses };
    const open = { ...view, from: null, to: null };
    const [earlier, later, all] = await Promise.all([
      this.#first({ ...open, to: nanosFromTime(range.from) }, 'newestFirst', signal),
      this.#first({ ...open, from: nanosFromTime(range.to) }, 'oldestFirst', signal),
      this.#first(open, 'oldestFirst', signal),
    ]);
    return { before: timeOf(earlier), after: timeOf(later), anytime: all.total, blockingClauses };
  }

  /** Removes each clause in turn and counts the matches. A single clause cannot be removed. */
  async #blockingClauses(
    view: View,
    parts: QueryParts,
    signal: AbortSignal,
  ): Promise<BlockingClause[]> {
    const clauses = parts.filter === view.query ? parts.clauses.slice(0, MOST_CLAUSES) : [];
    if (parts.clauses.length < 2) return [];
    const found = await Promise.all(
      clauses.map(async ({ text }, at) => {
        const edit = { kind: 'remove', at } as const;
        const request = { case: view.case, query: view.query, edit };
        const { query } = await this.#client.call('edit', request, { signal });
        const { total } = await this.#first({ ...view, query }, 'oldestFirst', signal);
        return { at, text, events: total };
      }),
    );
    return found.filter(({ events }) => events > 0).sort((a, b) => a.events - b.events);
  }

  #first(view: View, order: Order, signal: AbortSignal): Promise<Page> {
    return this.#client.call('page', { view, order, first: 0, count: 1 }, { signal });
  }
}

function timeOf(page: Page): Time | null {
  const time = page.rows[0]?.time ?? null;
  return time === null ? null : timeFromNanos(time);
}

/** A range of the same length that has the nearest event at its near end. */
export function rangeAt(time: Time, range: NonNullable<RangeChoice>): NonNullable<RangeChoice> {
  const length = range.to - range.from;
  return time < range.from
    ? { from: asTime(time + 1n - length), to: asTime(time + 1n) }
    : { from: time, to: asTime(time + length) };
}
