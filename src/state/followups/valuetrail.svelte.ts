import type { Lifetime } from '../../base/lifetime';
import type { Client, EngineError } from '../../ipc/client';
import type {
  Followed,
  FollowRequest,
  LinkedRequest,
  LinkedValue,
  Page,
  PageRequest,
  Row,
} from '../../ipc/generated';
import { MESSAGE } from '../events/columns';
import { quoted } from '../query/querytext';
import { Request, SLOWLY } from '../request.svelte';

/** Events listed at first; each click shows more. */
const STEP = 100;
const MOST = 10_000;

/** The occurrences of a value: the sources and fields that have it, and its events by time. */
export class ValueTrail extends Request<FollowRequest, Followed> {
  readonly page: Request<PageRequest, Page>;
  /** Its names in other formats; null if the links of the case are not known. */
  readonly linked: Request<LinkedRequest, LinkedValue | null>;
  readonly text: string;

  readonly #casePath: string;
  /** Whether a person began the search for other names. */
  #isSearching = $state(false);
  #count = STEP;
  readonly #lifetime: Lifetime;

  constructor(lifetime: Lifetime, client: Client, casePath: string, value: string) {
    super(lifetime, (asked, { signal }) => client.call('follow', asked, { signal }), SLOWLY);
    this.#lifetime = lifetime;
    this.page = new Request(
      lifetime,
      (asked, { signal }) => client.call('page', asked, { signal }),
      SLOWLY,
    );
    this.linked = new Request(
      lifetime,
      (asked, { signal, report }) => client.call('linked', asked, { signal, progress: report }),
      // A search reads all events, and only a person begins one.
      { ignoresGrowth: true },
    );
    this.#casePath = casePath;
    this.text = value;
  }

  /** Why the value or its events could not be found. */
  get problem(): EngineError | null {
    return this.error ?? this.page.error;
  }

  get rows(): readonly Row[] {
    return this.page.value?.rows ?? [];
  }

  get hasMore(): boolean {
    return this.rows.length < Math.min(this.page.value?.total ?? 0, MOST);
  }

  /** The share of the events that was read to find links; null if that is not under way. */
  get linking(): number | null {
    return this.#isSearching && this.linked.busy ? this.linked.fraction : null;
  }

  /** Of the search for other names that a person began. */
  get namingFailure(): EngineError | null {
    return this.#isSearching ? this.linked.error : null;
  }

  more(): void {
    this.#count = Math.min(this.#count * 4, MOST);
    this.#list();
  }

  load(): void {
    this.ask({ case: this.#casePath, value: this.text });
    this.#list();
    this.#name(true);
  }

  override retry(): void {
    super.retry();
    this.page.retry();
  }

  /** Looks through all events for fields that hold the same values. */
  findNames(): void {
    this.#name(false);
  }

  dispose(): void {
    this.#lifetime.end();
  }

  #name(onlyKnown: boolean): void {
    this.#isSearching = !onlyKnown;
    void this.linked.answer({ case: this.#casePath, value: this.text, onlyKnown });
  }

  /** Events whose text contains the value, in any field. */
  #list(): void {
    const view = { case: this.#casePath, query: quoted(this.text), from: null, to: null };
    const order = 'oldestFirst';
    this.page.ask({ view, order, first: 0, count: this.#count, columns: [MESSAGE] });
  }
}
