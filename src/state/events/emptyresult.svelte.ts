import type { Lifetime } from '../../base/lifetime';
import { asTime, nanosFromTime, timeFromNanos, type Time } from '../../base/time';
import type { Client } from '../../ipc/client';
import type { Order, Page, View } from '../../ipc/generated';
import type { QueryParts } from '../query/queryparts';
import { Request, SLOWLY } from '../request.svelte';
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

interface Asked {
  readonly view: View;
  readonly range: RangeChoice;
  readonly parts: QueryParts;
}

/** Finds alternatives to a view without matches: the nearest times, and clauses to remove. */
export class EmptyResult extends Request<Asked, Alternatives> {
  constructor(lifetime: Lifetime, client: Client) {
    super(
      lifetime,
      async ({ view, range, parts }, { signal }) => {
        const first = (of: View, order: Order): Promise<Page> =>
          client.call('page', { view: of, order, first: 0, count: 1 }, { signal });
        const without = async (text: string, at: number): Promise<BlockingClause> => {
          const edit = { kind: 'remove', at } as const;
          const request = { case: view.case, query: view.query, edit };
          const { query } = await client.call('edit', request, { signal });
          return { at, text, events: (await first({ ...view, query }, 'oldestFirst')).total };
        };
        // A single clause cannot be removed.
        const isWhole = parts.filter === view.query && parts.clauses.length >= 2;
        const clauses = isWhole ? parts.clauses.slice(0, MOST_CLAUSES) : [];
        const counted = await Promise.all(clauses.map(({ text }, at) => without(text, at)));
        const blockingClauses = counted
          .filter(({ events }) => events > 0)
          .sort((a, b) => a.events - b.events);
        if (range === null) return { ...NO_ALTERNATIVES, blockingClauses };
        const open = { ...view, from: null, to: null };
        const [earlier, later, all] = await Promise.all([
          first({ ...open, to: nanosFromTime(range.from) }, 'newestFirst'),
          first({ ...open, from: nanosFromTime(range.to) }, 'oldestFirst'),
          first(open, 'oldestFirst'),
        ]);
        return {
          before: timeOf(earlier),
          after: timeOf(later),
          anytime: all.total,
          blockingClauses,
        };
      },
      SLOWLY,
    );
  }

  /** None until they are known; without them the list only says that nothing matches. */
  get alternatives(): Alternatives {
    return this.ownValue ?? NO_ALTERNATIVES;
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
