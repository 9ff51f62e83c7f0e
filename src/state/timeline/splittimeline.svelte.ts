import { Latest } from '../../base/latest';
import { engineError, type Client, type EngineError } from '../../ipc/client';
import type { Aggregate, Timeline, View } from '../../ipc/generated';
import { axesOf, isPlain, levelStrata, strataOf, type Strata } from './lanes';
import { timelineData, type TimelineData } from './timelinedata';
import type { TimelineChoice } from '../view/viewstate';

/**
 * The timeline taken apart by what was chosen, and where there is data at all. What is shown stays
 * until what was chosen last is there.
 */
export class Split {
  strata = $state.raw<Strata | null>(null);
  /** All events of the same stretch, where the view shows a part of them. */
  coverage = $state.raw<TimelineData | null>(null);
  failure = $state.raw<EngineError | null>(null);

  readonly #client: Client;
  readonly #parts = new Latest<Aggregate>();
  readonly #all = new Latest<Timeline>();
  #covered = '';

  constructor(client: Client) {
    this.#client = client;
  }

  /** Another timeline has come, or another choice was made. */
  show(data: TimelineData, view: View, choice: TimelineChoice, buckets: number): void {
    this.#cover(data, view, buckets);
    this.failure = null;
    if (isPlain(choice) || data.buckets === 0) {
      this.#parts.stop();
      this.strata = levelStrata(data);
      return;
    }
    // What is shown stays; where nothing is yet, levels are better than a gap.
    this.strata ??= levelStrata(data);
    const request = { view, by: axesOf(data, choice), measures: [] };
    const done = (answer: Aggregate) => {
      this.strata = strataOf(data, choice, answer) ?? levelStrata(data);
    };
    this.#parts.replace({
      key: `${data.key} ${data.total} ${data.fraction} ${JSON.stringify(request.by)}`,
      load: (signal) => this.#client.call('aggregate', request, { signal }),
      done,
      failed: (cause) => {
        const error = engineError(cause);
        if (error.code === 'cancelled') return;
        this.failure = error;
        this.strata = levelStrata(data);
      },
    });
  }

  dispose(): void {
    this.#parts.stop();
    this.#all.stop();
  }

  #cover(data: TimelineData, view: View, buckets: number): void {
    if (view.query === '') {
      this.#all.stop();
      this.#covered = '';
      this.coverage = null;
      return;
    }
    const whole = { ...view, query: '' };
    const key = `${JSON.stringify(whole)} ${buckets}`;
    if (key === this.#covered || data.fraction < 1) return;
    this.#all.replace({
      key,
      load: (signal) => this.#client.call('timeline', { view: whole, buckets }, { signal }),
      done: (answer) => {
        this.#covered = key;
        this.coverage = timelineData(key, data.range, answer);
      },
      failed: () => {},
    });
  }
}
