import { Latest } from '../../base/latest';
import type { Lifetime } from '../../base/lifetime';
import { Timer } from '../../base/timer';
import { engineError, type Client, type EngineError } from '../../ipc/client';
import type { Aggregate, QueryClause, Scalar, View } from '../../ipc/generated';
import { fieldName } from '../query/querytext';
import { choiceClauses, choiceOf, NO_CHOICE, withoutChoice, type ValueField } from './valueclause';

/** As many values as people read at a glance. */
const TOP = 10;
/** How many more are listed at a time. */
const STEP = 100;
/** The most values that the engine lists. */
export const MOST_VALUES = 10_000;
/** A pause this long in typing searches. */
const TYPING_PAUSE_MS = 150;

export interface ListedValue {
  readonly value: Scalar;
  readonly count: number;
}

/** The values of a field, counted without the clauses that choose among them. */
export interface FieldValues {
  readonly field: string;
  readonly rows: readonly ListedValue[];
  /** Distinct values; those that match the search. */
  readonly distinct: number;
  /** Events that have the field; those whose value matches the search. */
  readonly present: number;
  /** The request that this answers. */
  readonly key: string;
  readonly search: string;
  /** How many values were requested, and how many came; rare ones that are chosen come in addition. */
  readonly size: number;
  readonly listed: number;
}

/**
 * All values of one field in the current view. The list shows the most frequent ones, those that
 * are chosen wherever they rank, and with a search all that contain it.
 */
export class ValueList {
  search = $state('');
  answer = $state.raw<FieldValues | null>(null);
  busy = $state(false);
  failure = $state.raw<EngineError | null>(null);

  #field = $state.raw<ValueField | null>(null);
  #view = $state.raw<View | null>(null);
  #clauses = $state.raw<readonly QueryClause[]>([]);
  #size = $state(TOP);
  #epoch = $state(0);
  readonly #client: Client;
  readonly #latest: Latest<FieldValues>;
  readonly #typing: Timer;

  constructor(lifetime: Lifetime, client: Client) {
    this.#client = client;
    this.#latest = new Latest(lifetime, (busy) => (this.busy = busy));
    this.#typing = new Timer(lifetime);
  }

  /** What of the field the query includes and excludes. */
  readonly choice = $derived(
    this.#field === null ? NO_CHOICE : choiceOf(this.#clauses, this.#field),
  );

  readonly isFresh = $derived(this.answer !== null && this.answer.key === this.#key);

  /** Values that match the search, or all, but are not listed. */
  get more(): number {
    const { answer } = this;
    // A cluster lists less than was requested where it has a limit of its own.
    if (answer === null || answer.listed < answer.size) return 0;
    return Math.min(STEP, MOST_VALUES - answer.size, answer.distinct - answer.listed);
  }

  /** Lists the values of a field from now on, if they are not listed yet; of none if null. */
  open(field: ValueField | null, size = TOP): void {
    const isSame = field?.name === this.#field?.name;
    this.#field = field;
    if (isSame) return;
    this.#typing.stop();
    this.#size = size;
    this.search = '';
    this.answer = null;
    this.#request('replace');
  }

  /** The view, and the clauses of its query. */
  show(view: View, clauses: readonly QueryClause[]): void {
    this.#view = view;
    this.#clauses = clauses;
    this.#request('replace');
  }

  /** The case has grown. */
  refresh(epoch: number): void {
    this.#epoch = epoch;
    // After a failure only a person's retry sends a request.
    if (this.failure === null) this.#request('follow');
  }

  type(search: string): void {
    this.search = search;
    this.#typing.start(() => this.#request('replace'), TYPING_PAUSE_MS);
  }

  showMore(): void {
    this.#size = Math.min(MOST_VALUES, this.#size + STEP);
    this.#request('replace');
  }

  retry(): void {
    this.#request('replace');
  }

  get #key(): string {
    const asked = [this.#view, this.#clauses, this.#epoch, this.#field?.name, this.#size];
    return JSON.stringify([...asked, this.search.trim()]);
  }

  #request(how: 'replace' | 'follow'): void {
    const [field, view, key, size] = [this.#field, this.#view, this.#key, this.#size];
    this.failure = null;
    if (field === null || view === null) {
      this.#latest.stop();
      return;
    }
    const search = this.search.trim();
    const clauses = this.#clauses;
    const all = withoutChoice(view.query, clauses, field);
    const chosen = search === '' ? choiceClauses(clauses, field) : [];
    const found = (query: string, most: number, signal: AbortSignal) =>
      this.#client.call(
        'aggregate',
        {
          view: { ...view, query },
          by: [{ kind: 'terms', field: field.name, top: most, order: 'most' }],
          measures: [],
        },
        { signal },
      );
    this.#latest[how]({
      key,
      load: async (signal) => {
        const top = valuesOf(await found(withSearch(all, field.name, search), size, signal));
        const about = { field: field.name, key, search, size, listed: top.rows.length };
        if (chosen.length === 0) return { ...about, ...top };
        // Chosen values come first if they are too rare for the list, or no event has them.
        const { included, excluded } = choiceOf(clauses, field);
        const rare = new Set([...included, ...excluded]);
        for (const { value } of top.rows) rare.delete(value.text);
        const before: ListedValue[] = [];
        if (rare.size > 0 && top.distinct > top.rows.length) {
          const query = [bracketed(all), `(${chosen.join(' OR ')})`].filter(Boolean).join(' ');
          const { rows } = valuesOf(await found(query, MOST_VALUES, signal));
          before.push(...rows.filter(({ value }) => rare.delete(value.text)));
        }
        const absent = [...rare].map((text) => ({ value: textValue(text), count: 0 }));
        return { ...about, ...top, rows: [...before, ...absent, ...top.rows] };
      },
      done: (answer) => (this.answer = answer),
      failed: (cause) => {
        const error = engineError(cause);
        // Errors of the query are shown under the query bar.
        if (error.code !== 'cancelled' && error.code !== 'queryInvalid') this.failure = error;
      },
    });
  }
}

/** The filter with the values that contain a text; in any case, as the engine compares wildcards. */
export function withSearch(filter: string, field: string, search: string): string {
  if (search === '') return filter;
  const literal = search.replace(/[^\p{Alphabetic}\p{N}]/gu, '\\$&');
  return [bracketed(filter), `${fieldName(field)}:*${literal}*`].filter(Boolean).join(' ');
}

function textValue(text: string): Scalar {
  return { kind: 'text', text, number: null };
}

function bracketed(filter: string): string {
  return filter === '' ? '' : `(${filter})`;
}

function valuesOf({
  axes,
  counts,
  total,
}: Aggregate): Pick<FieldValues, 'rows' | 'distinct' | 'present'> {
  const [axis] = axes;
  const values = axis?.kind === 'terms' ? axis.values : [];
  return {
    rows: values.map((value, at) => ({ value, count: counts[at] ?? 0 })),
    distinct: axis?.kind === 'terms' ? axis.distinct : 0,
    // The last counts are of the values that are not listed, and of events without the field.
    present: total - (counts[values.length + 1] ?? 0),
  };
}
