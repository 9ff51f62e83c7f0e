import type { Lifetime } from '../../base/lifetime';
import { Timer } from '../../base/timer';
import type { Client } from '../../ipc/client';
import type { Aggregate, QueryClause, Scalar, View } from '../../ipc/generated';
import { fieldName } from '../query/querytext';
import { Request, SLOWLY } from '../request.svelte';
import { choiceClauses, choiceOf, NO_CHOICE, withoutChoice, type ValueField } from './valueclause';

/** As many values as people read at a glance. */
export const TOP = 10;
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
  readonly rows: readonly ListedValue[];
  /** Distinct values; those that match the search. */
  readonly distinct: number;
  /** Events that have the field; those whose value matches the search. */
  readonly present: number;
  readonly search: string;
  /** How many values were requested, and how many came; rare ones that are chosen come in addition. */
  readonly size: number;
  readonly listed: number;
}

/** The question of a list: the values of a field in a view, and how many of them. */
interface Asked {
  readonly view: View;
  readonly clauses: readonly QueryClause[];
  readonly field: ValueField;
  readonly size: number;
  readonly search: string;
}

/**
 * All values of one field in the current view. The list shows the most frequent ones, those that
 * are chosen wherever they rank, and with a search all that contain it.
 */
export class ValueList extends Request<Asked, FieldValues> {
  search = $state('');

  #field = $state.raw<ValueField | null>(null);
  #view: View | null = null;
  #clauses = $state.raw<readonly QueryClause[]>([]);
  #size = TOP;
  readonly #typing: Timer;

  constructor(lifetime: Lifetime, client: Client) {
    super(lifetime, (asked, { signal }) => listed(client, asked, signal), SLOWLY);
    this.#typing = new Timer(lifetime);
  }

  /** What of the field the query includes and excludes. */
  readonly choice = $derived(
    this.#field === null ? NO_CHOICE : choiceOf(this.#clauses, this.#field),
  );

  get isFresh(): boolean {
    return this.value !== null && !this.isStale && this.value.search === this.search.trim();
  }

  /** Values that match the search, or all, but are not listed. */
  get more(): number {
    const { value } = this;
    // A cluster lists less than was requested where it has a limit of its own.
    if (value === null || value.listed < value.size) return 0;
    return Math.min(STEP, MOST_VALUES - value.size, value.distinct - value.listed);
  }

  /** Lists so many values of a field from now on, or more if they are listed already; of none if null. */
  open(field: ValueField | null, size = TOP): void {
    const isSame = field?.name === this.#field?.name;
    this.#field = field;
    if (isSame) {
      if (size <= this.#size || field === null) return;
      this.#size = size;
      this.#list();
      return;
    }
    this.#typing.stop();
    this.#size = size;
    this.search = '';
    this.forget();
    this.#list();
  }

  /** The view, and the clauses of its query. */
  show(view: View, clauses: readonly QueryClause[]): void {
    this.#view = view;
    this.#clauses = clauses;
    this.#list();
  }

  type(search: string): void {
    this.search = search;
    this.#typing.start(() => this.#list(), TYPING_PAUSE_MS);
  }

  showMore(): void {
    this.#size = Math.min(MOST_VALUES, this.#size + STEP);
    this.#list();
  }

  #list(): void {
    const [field, view, clauses, size] = [this.#field, this.#view, this.#clauses, this.#size];
    const search = this.search.trim();
    this.ask(field === null || view === null ? null : { view, clauses, field, size, search });
  }
}

/** The most frequent values, after those that are chosen and too rare to be among them. */
async function listed(
  client: Client,
  { view, clauses, field, size, search }: Asked,
  signal: AbortSignal,
): Promise<FieldValues> {
  const found = async (query: string, top: number) => {
    const by = [{ kind: 'terms' as const, field: field.name, top, order: 'most' as const }];
    const request = { view: { ...view, query }, by, measures: [] };
    return valuesOf(await client.call('aggregate', request, { signal }));
  };
  const all = withoutChoice(view.query, clauses, field);
  const chosen = search === '' ? choiceClauses(clauses, field) : [];
  const top = await found(withSearch(all, field.name, search), size);
  const about = { search, size, listed: top.rows.length };
  if (chosen.length === 0) return { ...about, ...top };
  // Chosen values come first if they are too rare for the list, or no event has them.
  const { included, excluded } = choiceOf(clauses, field);
  const rare = new Set([...included, ...excluded]);
  for (const { value } of top.rows) rare.delete(value.text);
  const before: ListedValue[] = [];
  if (rare.size > 0 && top.distinct > top.rows.length) {
    const query = [bracketed(all), `(${chosen.join(' OR ')})`].filter(Boolean).join(' ');
    const { rows } = await found(query, MOST_VALUES);
    before.push(...rows.filter(({ value }) => rare.delete(value.text)));
  }
  const absent = [...rare].map((text) => ({ value: textValue(text), count: 0 }));
  return { ...about, ...top, rows: [...before, ...absent, ...top.rows] };
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
