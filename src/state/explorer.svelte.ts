import { Latest } from '../base/latest';
import { nanosFromTime } from '../base/time';
import { engineError, type Client, type EngineError } from '../ipc/client';
import type { Order, View } from '../ipc/generated';
import { withClause } from './querytext';
import { RangeHistory, type RangeChoice } from './ranges';
import { timelineData, type TimelineData } from './timelinedata';

/** A pause this long in typing counts as "done for now". */
const TYPING_PAUSE_MS = 350;

/** What is asked of a case, and the timeline that answers it. */
export class Explorer {
  /** What stands in the query bar; `query` is what of it was asked last. */
  draft = $state('');
  query = $state('');
  range = $state.raw<RangeChoice>(null);
  canBack = $state(false);
  order = $state<Order>('oldestFirst');
  /** The last good answer. It stays until a better one comes, whatever goes wrong meanwhile. */
  timeline = $state.raw<TimelineData | null>(null);
  busy = $state(false);
  queryError = $state.raw<EngineError | null>(null);
  failure = $state.raw<EngineError | null>(null);

  readonly #client: Client;
  readonly #casePath: string;
  readonly #viewChanged: () => void;
  readonly #history = new RangeHistory();
  readonly #latest = new Latest<TimelineData>((busy) => (this.busy = busy));
  #buckets = 0;
  #epoch = 0;
  #typing: ReturnType<typeof setTimeout> | undefined;

  constructor(client: Client, casePath: string, viewChanged: () => void) {
    this.#client = client;
    this.#casePath = casePath;
    this.#viewChanged = viewChanged;
  }

  get view(): View {
    const range = this.#history.current;
    return {
      case: this.#casePath,
      query: this.query,
      from: range === null ? null : nanosFromTime(range.from),
      to: range === null ? null : nanosFromTime(range.to),
    };
  }

  get isFiltered(): boolean {
    return this.query !== '' || this.range !== null;
  }

  type(text: string): void {
    this.draft = text;
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => this.ask(text), TYPING_PAUSE_MS);
  }

  /** Asks a query at once: Enter, a click on a value, or the end of a pause in typing. */
  ask(text: string = this.draft): void {
    clearTimeout(this.#typing);
    this.draft = text;
    const query = text.trim();
    const unchanged = query === this.query && this.failure === null && this.queryError === null;
    if (unchanged) return;
    this.query = query;
    this.#askAnew();
  }

  addClause(field: string, value: string, excluded: boolean): void {
    this.ask(withClause(this.draft, field, value, excluded));
  }

  zoom(range: RangeChoice): void {
    if (this.#history.go(range)) this.#rangeChanged();
  }

  back(): void {
    if (this.#history.back()) this.#rangeChanged();
  }

  toggleOrder(): void {
    this.order = this.order === 'oldestFirst' ? 'newestFirst' : 'oldestFirst';
    this.#viewChanged();
  }

  /** How many buckets the screen can draw. */
  fit(buckets: number): void {
    if (buckets === this.#buckets) return;
    const first = this.#buckets === 0;
    this.#buckets = buckets;
    if (first) this.#load('replace');
    else this.#load('follow');
  }

  /** The case has grown. */
  refresh(epoch: number): void {
    this.#epoch = epoch;
    this.#load('follow');
  }

  retry(): void {
    this.#askAnew();
  }

  dispose(): void {
    clearTimeout(this.#typing);
    this.#latest.stop();
  }

  #rangeChanged(): void {
    this.range = this.#history.current;
    this.canBack = this.#history.canBack;
    this.#askAnew();
  }

  #askAnew(): void {
    this.#load('replace');
    this.#viewChanged();
  }

  #load(how: 'replace' | 'follow'): void {
    // Before the screen has said how wide it is, any answer would be thrown away.
    if (this.#buckets === 0) return;
    const view = this.view;
    const range = this.#history.current;
    const buckets = this.#buckets;
    const key = JSON.stringify(view);
    this.#latest[how]({
      key: `${key} ${buckets} ${this.#epoch}`,
      load: async (signal) => {
        const wire = await this.#client.call(
          'timeline',
          { view, buckets },
          {
            signal,
            progress: (partial) => {
              if (!signal.aborted) this.#showPartial(timelineData(key, range, partial));
            },
          },
        );
        return timelineData(key, range, wire);
      },
      done: (data) => {
        this.timeline = data;
        this.queryError = null;
        this.failure = null;
      },
      failed: (cause) => this.#failed(engineError(cause)),
    });
  }

  /** A partial answer replaces another view's, but never a fuller answer to the same question. */
  #showPartial(data: TimelineData): void {
    const shown = this.timeline;
    const fuller = shown?.key === data.key && shown.fraction >= data.fraction;
    if (!fuller) this.timeline = data;
  }

  #failed(error: EngineError): void {
    if (error.code === 'cancelled') return;
    if (error.code === 'queryInvalid') this.queryError = error;
    else this.failure = error;
  }
}
