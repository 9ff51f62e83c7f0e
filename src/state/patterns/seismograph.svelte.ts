import { Latest } from '../../base/latest';
import type { Lifetime } from '../../base/lifetime';
import { engineError, type Client, type EngineError } from '../../ipc/client';
import type { Granularity, Seismograph as Answer, View } from '../../ipc/generated';
import type { RangeChoice } from '../view/ranges';
import { seismographData, type SeismographData } from './seismographdata';

/** As many rows and bins as the engine gives. */
const ROWS = 500;
const BINS = 600;

/** The patterns in view over time, requested only while they are shown. */
export class Seismograph {
  /** The last good answer, which stays until a better one arrives. */
  data = $state.raw<SeismographData | null>(null);
  busy = $state(false);
  failure = $state.raw<EngineError | null>(null);
  /** The share of the work that is done. */
  fraction = $state(1);

  readonly #client: Client;
  readonly #latest: Latest<Answer>;
  #view: View | null = null;
  #range: RangeChoice = null;
  #epoch = 0;
  #granularity: Granularity = 'template';
  #shown = false;

  constructor(lifetime: Lifetime, client: Client) {
    this.#latest = new Latest(lifetime, (busy) => (this.busy = busy));
    this.#client = client;
  }

  /** Whether it is on the screen. */
  set shown(shown: boolean) {
    this.#shown = shown;
    if (shown) this.#load('replace');
    else this.#latest.stop();
  }

  show(view: View, range: RangeChoice): void {
    this.#view = view;
    this.#range = range;
    this.#load('replace');
  }

  /** The case has grown. */
  refresh(epoch: number): void {
    this.#epoch = epoch;
    this.#load('follow');
  }

  cut(granularity: Granularity): void {
    if (granularity === this.#granularity) return;
    this.#granularity = granularity;
    this.#load('replace');
  }

  retry(): void {
    this.#load('replace');
  }

  #load(how: 'replace' | 'follow'): void {
    const [view, range] = [this.#view, this.#range];
    if (!this.#shown || view === null) return;
    const request = { view, granularity: this.#granularity, rows: ROWS, bins: BINS };
    this.fraction = 0;
    this.#latest[how]({
      key: `${JSON.stringify(request)} ${this.#epoch}`,
      load: (signal) =>
        this.#client.call('seismograph', request, {
          signal,
          progress: ({ fraction }) => {
            if (!signal.aborted) this.fraction = fraction;
          },
        }),
      done: (answer) => {
        this.data = seismographData(answer, range);
        this.fraction = 1;
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
