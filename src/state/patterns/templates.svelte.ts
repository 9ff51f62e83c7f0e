import { Latest } from '../../base/latest';
import type { Lifetime } from '../../base/lifetime';
import { engineError, type Client, type EngineError } from '../../ipc/client';
import type { Granularity, Pattern, Patterns, View } from '../../ipc/generated';

/** Listed patterns: more than anyone reads, and few enough to draw at once. */
const LISTED = 200;
/** Patterns compared to find new, missing or different ones: as many as the engine lists. */
const COMPARED = 10_000;
const SPARK_BUCKETS = 48;
const EXAMPLES = 1;
const VALUES = 8;

/** The filter by comparison with the rest of the time. */
export type Contrast = 'all' | 'new' | 'gone' | 'more' | 'fewer';

/** The patterns of the messages in view, requested only while they are shown. */
export class Templates {
  answer = $state.raw<Patterns | null>(null);
  busy = $state(false);
  failure = $state.raw<EngineError | null>(null);
  granularity = $state<Granularity>('template');
  contrast = $state<Contrast>('all');
  /** The expanded pattern, with its variable values. */
  unfolded = $state<string | null>(null);
  details = $state.raw<Pattern | null>(null);

  readonly #client: Client;
  readonly #latest: Latest<Patterns>;
  readonly #detailing: Latest<Patterns>;
  #view: View | null = null;
  #epoch = 0;
  #shown = false;

  constructor(lifetime: Lifetime, client: Client) {
    this.#latest = new Latest(lifetime, (busy) => (this.busy = busy));
    this.#detailing = new Latest(lifetime);
    this.#client = client;
  }

  /** Whether the list is on the screen. */
  set shown(shown: boolean) {
    this.#shown = shown;
    if (shown) this.#load();
  }

  show(view: View): void {
    this.#view = view;
    this.fold();
    this.#load();
  }

  /** The case has grown. */
  refresh(epoch: number): void {
    this.#epoch = epoch;
    this.#load();
  }

  cut(granularity: Granularity): void {
    this.granularity = granularity;
    this.fold();
    this.#load();
  }

  compare(contrast: Contrast): void {
    this.contrast = contrast;
    this.fold();
    this.#load();
  }

  fold(): void {
    this.unfolded = null;
    this.details = null;
    this.#detailing.stop();
  }

  unfold(id: string): void {
    if (this.unfolded === id) return this.fold();
    this.unfolded = id;
    this.details = null;
    const view = this.#view;
    if (view === null) return;
    this.#detailing.replace({
      key: `${id} ${JSON.stringify(view)}`,
      load: (signal) => this.#client.call('patterns', this.#request(view, [id]), { signal }),
      done: (answer) =>
        (this.details = answer.patterns.find((pattern) => pattern.id === id) ?? null),
      failed: () => {},
    });
  }

  #request(view: View, variables: string[]) {
    const compare = view.from !== null || view.to !== null;
    return {
      view,
      granularity: this.granularity,
      limit: this.contrast === 'all' || !compare ? LISTED : COMPARED,
      buckets: SPARK_BUCKETS,
      examples: EXAMPLES,
      compare,
      variables,
      values: VALUES,
    };
  }

  #load(): void {
    const view = this.#view;
    if (!this.#shown || view === null) return;
    const request = this.#request(view, []);
    this.#latest.replace({
      key: `${JSON.stringify(request)} ${this.#epoch}`,
      load: (signal) =>
        this.#client.call('patterns', request, {
          signal,
          progress: (partial) => {
            if (!signal.aborted) this.answer = partial;
          },
        }),
      done: (answer) => {
        this.answer = answer;
        this.failure = null;
      },
      failed: (cause) => {
        const error = engineError(cause);
        // Query errors are shown under the query bar.
        if (error.code !== 'cancelled' && error.code !== 'queryInvalid') this.failure = error;
      },
    });
  }
}
