import { Coalesced } from '../../base/coalesce';
import { Latest } from '../../base/latest';
import type { Lifetime } from '../../base/lifetime';
import { engineError, type Client, type EngineError } from '../../ipc/client';
import type { Facet, Facets, Fields as FieldList, KnownField, View } from '../../ipc/generated';

/** Values listed of a field: as many as are read at a glance. */
const TOP = 10;
const SPARK_BUCKETS = 48;
/** While a case grows, what is known of its fields is asked for anew this often: it costs the import more than counts do. */
const REFRESH_MS = 2_000;

/** What is known of a field under a view. */
export interface FieldFacts {
  readonly facet: Facet;
  /** Matching events. */
  readonly total: number;
  /** Which question this answers. */
  readonly key: string;
}

/**
 * The fields of a case and what they hold under the view that is shown. Only fields in sight are asked
 * for, all that are missing at once; those that stand are shown while the others are counted.
 */
export class Fields {
  /** Null until the list has been asked for. */
  known = $state.raw<readonly KnownField[] | null>(null);
  busy = $state(false);
  failure = $state.raw<EngineError | null>(null);
  /** The field whose values are shown. */
  opened = $state<string | null>(null);

  #facts = $state.raw<ReadonlyMap<string, FieldFacts>>(new Map());
  #key = $state('');
  readonly #client: Client;
  readonly #casePath: string;
  readonly #latest: Latest<Facets>;
  readonly #listing: Latest<FieldList>;
  readonly #refresh: Coalesced;
  #view: View | null = null;
  #epoch = 0;
  #inSight: readonly string[] = [];
  #shown = false;

  constructor(lifetime: Lifetime, client: Client, casePath: string) {
    this.#latest = new Latest(lifetime, (busy) => (this.busy = busy));
    this.#listing = new Latest(lifetime);
    this.#refresh = new Coalesced(lifetime, () => this.#renew(), REFRESH_MS);
    this.#client = client;
    this.#casePath = casePath;
  }

  /** What is known of a field; of an earlier question while the answer to this one is on the way. */
  facts(field: string): FieldFacts | undefined {
    return this.#facts.get(field);
  }

  isFresh(facts: FieldFacts): boolean {
    return facts.key === this.#key;
  }

  /** Whether none of the matching events has a field; null where that is not known of the question that is asked. */
  isAbsent(field: string): boolean | null {
    const facts = this.#facts.get(field);
    if (facts === undefined || !this.isFresh(facts) || facts.facet.distinct === null) return null;
    // Where nothing matches, nothing is told of any field.
    return facts.total > 0 && facts.facet.present === 0;
  }

  /** Whether the list is on the screen. */
  set shown(shown: boolean) {
    this.#shown = shown;
    if (shown) this.#renew();
    else this.#latest.stop();
  }

  show(view: View): void {
    this.#view = view;
    this.#key = JSON.stringify([view, this.#epoch]);
    this.failure = null;
    this.#load();
  }

  /** The case has grown. */
  refresh(epoch: number): void {
    this.#epoch = epoch;
    if (this.#shown) this.#refresh.request();
  }

  /** Says which fields are in sight. */
  see(fields: readonly string[]): void {
    this.#inSight = fields;
    this.#load();
  }

  retry(): void {
    this.failure = null;
    this.#renew();
  }

  #renew(): void {
    if (!this.#shown) return;
    this.#listing.follow({
      key: String(this.#epoch),
      load: (signal) => this.#client.call('fields', { path: this.#casePath }, { signal }),
      done: ({ fields }) => (this.known = fields),
      failed: (cause) => this.#failed(engineError(cause)),
    });
    if (this.#view !== null) this.#key = JSON.stringify([this.#view, this.#epoch]);
    this.#load('follow');
  }

  #load(how: 'replace' | 'follow' = 'replace'): void {
    const view = this.#view;
    // After a failure only a person's retry asks again.
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
    // What is wrong with the query stands under the query bar.
    if (error.code !== 'cancelled' && error.code !== 'queryInvalid') this.failure = error;
  }
}
