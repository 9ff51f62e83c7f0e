import { Coalesced } from '../../base/coalesce';
import { Latest } from '../../base/latest';
import type { Lifetime } from '../../base/lifetime';
import { engineError, type Client, type EngineError } from '../../ipc/client';
import type {
  Facet,
  Facets,
  Fields as FieldList,
  KnownField,
  QueryClause,
  View,
} from '../../ipc/generated';
import { byCoverage } from './coverage';
import { valueField } from './valueclause';
import { ValueList } from './valuelist.svelte';

/** Values are listed for the opened field alone; a cluster leaves out more than them if none is wanted. */
const TOP = 1;
const SPARK_BUCKETS = 48;
/**
 * While a case grows, field facts are refreshed at this interval: they cost the import more than
 * counts do.
 */
const REFRESH_MS = 2_000;

/** The facts of a field in a view. */
export interface FieldFacts {
  readonly facet: Facet;
  /** Matching events. */
  readonly total: number;
  /** The request that this answers. */
  readonly key: string;
}

/**
 * The fields of a case and their values in the current view. Only visible fields are requested, all
 * missing ones at once; known facts are shown while the others are counted.
 */
export class Fields {
  /** Null until the list has been requested. */
  known = $state.raw<readonly KnownField[] | null>(null);
  busy = $state(false);
  failure = $state.raw<EngineError | null>(null);
  /** The values of the opened field. */
  readonly values: ValueList;
  /** The files of the case: the values of `source`. */
  readonly files: ValueList;

  #opened = $state<string | null>(null);
  #facts = $state.raw<ReadonlyMap<string, FieldFacts>>(new Map());
  #key = $state('');
  readonly #client: Client;
  readonly #casePath: string;
  readonly #latest: Latest<Facets>;
  readonly #listing: Latest<FieldList>;
  readonly #refresh: Coalesced;
  #view: View | null = null;
  #clauses: readonly QueryClause[] = [];
  #epoch = 0;
  #inSight: readonly string[] = [];
  #shown = false;

  constructor(
    lifetime: Lifetime,
    client: Client,
    casePath: string,
    /** The client for lists of values; of a cluster, one that does not hear what its charts say. */
    valuesClient = client,
  ) {
    this.values = new ValueList(lifetime, valuesClient);
    this.files = new ValueList(lifetime, valuesClient);
    this.#latest = new Latest(lifetime, (busy) => (this.busy = busy));
    this.#listing = new Latest(lifetime);
    this.#refresh = new Coalesced(lifetime, () => this.#renew(), REFRESH_MS);
    this.#client = client;
    this.#casePath = casePath;
  }

  /** All fields, those that most events of the case have first. */
  readonly inOrder = $derived(byCoverage(this.known ?? []));

  /** The facts of a field; those of an earlier request while this one is running. */
  facts(field: string): FieldFacts | undefined {
    return this.#facts.get(field);
  }

  isFresh(facts: FieldFacts): boolean {
    return facts.key === this.#key;
  }

  /** Whether none of the matching events has a field; null if that is unknown for the current request. */
  isAbsent(field: string): boolean | null {
    const facts = this.#facts.get(field);
    if (facts === undefined || !this.isFresh(facts) || facts.facet.distinct === null) return null;
    // Without matches, nothing is known of any field.
    return facts.total > 0 && facts.facet.present === 0;
  }

  /** Whether the list is on the screen. */
  set shown(shown: boolean) {
    this.#shown = shown;
    if (shown) {
      this.#renew();
      this.#showValues();
    } else this.#latest.stop();
  }

  /** The field whose values are shown. */
  get opened(): string | null {
    return this.#opened;
  }

  set opened(name: string | null) {
    this.#opened = name;
    const field = this.known?.find((each) => each.name === name);
    this.values.open(field === undefined ? null : valueField(field));
  }

  /** The view, and the clauses of its query. */
  show(view: View, clauses: readonly QueryClause[]): void {
    this.#view = view;
    this.#clauses = clauses;
    this.#showValues();
    this.#key = JSON.stringify([view, this.#epoch]);
    this.failure = null;
    this.#load();
  }

  /** The case has grown. */
  refresh(epoch: number): void {
    this.#epoch = epoch;
    if (this.#shown) this.#refresh.request();
  }

  /** Sets the visible fields. */
  see(fields: readonly string[]): void {
    this.#inSight = fields;
    this.#load();
  }

  retry(): void {
    this.failure = null;
    this.#renew();
  }

  /** Requests the list of fields, for whoever offers them while the panel is hidden. */
  list(): void {
    this.#listing.follow({
      key: String(this.#epoch),
      load: (signal) => this.#client.call('fields', { path: this.#casePath }, { signal }),
      done: ({ fields }) => (this.known = fields),
      failed: (cause) => this.#failed(engineError(cause)),
    });
  }

  #renew(): void {
    if (!this.#shown) return;
    this.list();
    if (this.#view !== null) this.#key = JSON.stringify([this.#view, this.#epoch]);
    this.values.refresh(this.#epoch);
    this.files.refresh(this.#epoch);
    this.#load('follow');
  }

  #showValues(): void {
    if (!this.#shown || this.#view === null) return;
    this.values.show(this.#view, this.#clauses);
    this.files.show(this.#view, this.#clauses);
  }

  #load(how: 'replace' | 'follow' = 'replace'): void {
    const view = this.#view;
    // After a failure only a person's retry sends a request.
    if (!this.#shown || view === null || this.failure !== null) return;
    const key = this.#key;
    const fields = this.#inSight.filter((field) => this.#facts.get(field)?.key !== key);
    if (fields.length === 0) return;
    this.#latest[how]({
      key: `${key} ${fields.join(' ')}`,
      load: (signal) =>
        this.#client.call(
          'facets',
          { view, fields: [...fields], top: TOP, buckets: SPARK_BUCKETS },
          {
            signal,
            progress: (partial) => {
              if (!signal.aborted) this.#learn(key, partial);
            },
          },
        ),
      done: (facets) => this.#learn(key, facets),
      failed: (cause) => this.#failed(engineError(cause)),
    });
  }

  #learn(key: string, { fields, total }: Facets): void {
    const facts = new Map(this.#facts);
    for (const facet of fields) facts.set(facet.field, { facet, total, key });
    this.#facts = facts;
  }

  #failed(error: EngineError): void {
    // Query errors are shown under the query bar.
    if (error.code !== 'cancelled' && error.code !== 'queryInvalid') this.failure = error;
  }
}
