import { Latest } from '../../base/latest';
import type { Lifetime } from '../../base/lifetime';
import { engineError, type Client } from '../../ipc/client';
import type { Pattern, PatternsRequest, SignificantTerm, View } from '../../ipc/generated';

/** Values that are requested; the most significant ones are shown. */
const ASKED = 24;
export const SHOWN = 3;
/** A value that is so much more frequent is worth a row. */
const LEAST_RATIO = 1.5;
/** A value that fewer events have describes the selection badly. */
const LEAST_SHARE = 0.02;

/** A single value of a measure says little: it is a size or a duration by chance. */
const MEASURE = /(?:bytes|size|length|duration|latency|elapsed|took|time|_[mnu]?s)$/i;

/** A value or a pattern that is more frequent in a time range than in the rest of the time. */
export interface DifferenceRow {
  readonly id: string;
  /** Null for a pattern. */
  readonly field: string | null;
  readonly text: string;
  readonly selected: number;
  readonly inside: number;
  readonly outside: number;
  /** Null if it occurs only here. */
  readonly ratio: number | null;
}

interface Found {
  readonly terms: readonly SignificantTerm[];
  readonly selected: number;
  readonly others: number;
  readonly patterns: readonly Pattern[];
}

/** What differs in the selected time range, for the same query. Requested only while it is shown. */
export class Difference {
  rows = $state.raw<readonly DifferenceRow[] | null>(null);
  busy = $state(false);

  readonly #client: Client;
  readonly #latest: Latest<Found>;

  constructor(lifetime: Lifetime, client: Client) {
    this.#latest = new Latest(lifetime, (busy) => (this.busy = busy));
    this.#client = client;
  }

  /** Compares a view that has a time range with the same query at all times. */
  show(view: View): void {
    const background = { ...view, from: null, to: null };
    this.#latest.replace({
      key: JSON.stringify(view),
      load: async (signal) => {
        const asked = { selection: view, background, fields: [], most: ASKED };
        const listing: PatternsRequest = {
          view,
          granularity: 'template',
          limit: ASKED,
          buckets: 1,
          examples: 0,
          compare: true,
          variables: [],
          values: 1,
        };
        const [{ terms, selected, others }, { patterns }] = await Promise.all([
          this.#client.call('significant', asked, { signal }),
          this.#client.call('patterns', listing, { signal }),
        ]);
        return { terms, selected, others, patterns };
      },
      done: (found) => (this.rows = rowsOf(found)),
      failed: (cause) => {
        // A query with an error is shown under the query bar.
        if (engineError(cause).code !== 'cancelled') this.rows = [];
      },
    });
  }

  stop(): void {
    this.#latest.stop();
    this.rows = null;
  }
}

/**
 * The most significant rows: a field is named once, with its most significant value, and the most frequent new
 * pattern has a row of its own.
 */
export function rowsOf({ terms, selected, others, patterns }: Found): readonly DifferenceRow[] {
  if (selected === 0 || others === 0) return [];
  const named = new Set<string>();
  const values: DifferenceRow[] = [];
  for (const term of terms) {
    const [inside, outside] = [term.selected / selected, term.others / others];
    const isClear = inside >= LEAST_SHARE && (outside === 0 || inside / outside >= LEAST_RATIO);
    // Fields that say the same, such as a code and its text, have the same counts.
    const same = `${term.selected} ${term.others}`;
    if (MEASURE.test(term.field)) continue;
    if (!isClear || named.has(term.field) || named.has(same)) continue;
    named.add(term.field).add(same);
    values.push({
      id: `${term.field}=${term.value.text}`,
      field: term.field,
      text: term.value.text,
      selected: term.selected,
      inside,
      outside,
      ratio: outside === 0 ? null : inside / outside,
    });
  }
  const fresh = patterns.find(({ count, elsewhere }) => count > 0 && elsewhere === 0);
  const pattern: DifferenceRow[] =
    fresh === undefined || fresh.count / selected < LEAST_SHARE
      ? []
      : [
          {
            id: fresh.id,
            field: null,
            text: fresh.text,
            selected: fresh.count,
            inside: fresh.count / selected,
            outside: 0,
            ratio: null,
          },
        ];
  return [...values.slice(0, SHOWN - pattern.length), ...pattern];
}
