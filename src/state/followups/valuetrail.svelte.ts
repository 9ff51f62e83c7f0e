import { Latest } from '../../base/latest';
import type { Lifetime } from '../../base/lifetime';
import { engineError, type Client, type EngineError } from '../../ipc/client';
import type { LinkedValue, Page, Row, Followed } from '../../ipc/generated';
import { MESSAGE } from '../events/columns';
import { quoted } from '../query/querytext';

/** Events listed at first; each click shows more. */
const STEP = 100;
const MOST = 10_000;

/** The occurrences of a value: the sources and fields that have it, and its events by time. */
export class ValueTrail {
  trails = $state.raw<Followed | null>(null);
  page = $state.raw<Page | null>(null);
  /** Its names in other formats; null if the links of the case are not known. */
  linked = $state.raw<LinkedValue | null>(null);
  /** The share of the events that was read to find links; null if that is not under way. */
  linking = $state<number | null>(null);
  failure = $state.raw<EngineError | null>(null);
  /** Of the search for other names that a person began. */
  namingFailure = $state.raw<EngineError | null>(null);
  readonly value: string;

  readonly #client: Client;
  readonly #casePath: string;
  readonly #following: Latest<Followed>;
  readonly #listing: Latest<Page>;
  readonly #naming: Latest<LinkedValue | null>;
  #count = STEP;
  readonly #lifetime: Lifetime;

  constructor(lifetime: Lifetime, client: Client, casePath: string, value: string) {
    this.#lifetime = lifetime;
    this.#following = new Latest(lifetime);
    this.#listing = new Latest(lifetime);
    this.#naming = new Latest(lifetime);
    this.#client = client;
    this.#casePath = casePath;
    this.value = value;
  }

  get rows(): readonly Row[] {
    return this.page?.rows ?? [];
  }

  get hasMore(): boolean {
    return this.page !== null && this.rows.length < Math.min(this.page.total, MOST);
  }

  more(): void {
    this.#count = Math.min(this.#count * 4, MOST);
    this.#list();
  }

  load(): void {
    const request = { case: this.#casePath, value: this.value };
    this.#following.replace({
      key: JSON.stringify(request),
      load: (signal) => this.#client.call('follow', request, { signal }),
      done: (trails) => {
        this.trails = trails;
        this.failure = null;
      },
      failed: (cause) => this.#failed(engineError(cause)),
    });
    this.#list();
    this.#name(true);
  }

  /** Looks through all events for fields that hold the same values. */
  findNames(): void {
    this.linking = 0;
    this.#name(false);
  }

  #name(onlyKnown: boolean): void {
    this.namingFailure = null;
    const request = { case: this.#casePath, value: this.value, onlyKnown };
    this.#naming.replace({
      key: JSON.stringify(request),
      load: (signal) =>
        this.#client.call('linked', request, {
          signal,
          progress: ({ fraction }) => {
            if (!signal.aborted) this.linking = fraction;
          },
        }),
      done: (linked) => {
        this.linked = linked;
        this.linking = null;
      },
      failed: (cause) => {
        this.linking = null;
        const error = engineError(cause);
        if (!onlyKnown && error.code !== 'cancelled') this.namingFailure = error;
      },
    });
  }

  dispose(): void {
    this.#lifetime.end();
  }

  /** Events whose text contains the value, in any field. */
  #list(): void {
    const view = { case: this.#casePath, query: quoted(this.value), from: null, to: null };
    const order = 'oldestFirst' as const;
    const request = { view, order, first: 0, count: this.#count, columns: [MESSAGE] };
    this.#listing.replace({
      key: JSON.stringify(request),
      load: (signal) => this.#client.call('page', request, { signal }),
      done: (page) => (this.page = page),
      failed: (cause) => this.#failed(engineError(cause)),
    });
  }

  #failed(error: EngineError): void {
    if (error.code !== 'cancelled') this.failure = error;
  }
}
