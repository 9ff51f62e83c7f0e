import { Latest } from '../../base/latest';
import type { Lifetime } from '../../base/lifetime';
import { texts } from '../../base/texts';
import { engineError, type Client, type EngineError } from '../../ipc/client';
import type { Aggregate, Timeline, View } from '../../ipc/generated';
import {
  axesOf,
  isPlain,
  levelLanes,
  lanesOf,
  pinnedAxes,
  pinnedLane,
  withPinned,
  type PinnedLanes,
  type TimelineLanes,
} from './lanes';
import { timelineData, type TimelineData } from './timelinedata';
import type { PinnedPattern, TimelineChoice } from '../view/viewstate';

/**
 * The timeline split by a field, and the coverage of all events. The current lanes stay until the
 * answer to the latest choice arrives.
 */
export class SplitTimeline {
  readonly lanes = $derived.by(() =>
    this.#lanes === null
      ? null
      : withPinned(this.#lanes, this.#pinned, texts.seismograph.lanes.matching),
  );
  /** All events of the same range, if the view is filtered. */
  coverage = $state.raw<TimelineData | null>(null);
  failure = $state.raw<EngineError | null>(null);

  #lanes = $state.raw<TimelineLanes | null>(null);
  /** The lanes of pinned patterns, and the timeline in whose buckets they are. */
  #pinned = $state.raw<PinnedLanes | null>(null);
  readonly #client: Client;
  /** The name of the case's lane, where it is shown with clusters. */
  readonly #ownName: string;
  readonly #parts: Latest<Aggregate>;
  readonly #all: Latest<Timeline>;
  readonly #pins: Latest<readonly Aggregate[]>;
  #covered = '';

  constructor(lifetime: Lifetime, client: Client, ownName = '') {
    this.#ownName = ownName;
    this.#parts = new Latest(lifetime);
    this.#all = new Latest(lifetime);
    this.#pins = new Latest(lifetime);
    this.#client = client;
  }

  /** Called for each new timeline and each new choice. */
  show(data: TimelineData, view: View, choice: TimelineChoice, buckets: number): void {
    this.#cover(data, view, buckets);
    this.#pin(data, view, choice.pinned);
    this.failure = null;
    if (isPlain(choice) || data.buckets === 0) {
      this.#parts.stop();
      this.#lanes = levelLanes(data, this.#ownName);
      return;
    }
    // The current lanes stay; before the first answer, levels are better than an empty plot.
    this.#lanes ??= levelLanes(data, this.#ownName);
    const request = { view, by: axesOf(data, choice), measures: [] };
    const done = (answer: Aggregate) => {
      this.#lanes = lanesOf(data, choice, answer) ?? levelLanes(data, this.#ownName);
    };
    this.#parts.replace({
      key: `${data.key} ${data.total} ${data.fraction} ${JSON.stringify(request.by)}`,
      load: (signal) => this.#client.call('aggregate', request, { signal }),
      done,
      failed: (cause) => {
        const error = engineError(cause);
        if (error.code === 'cancelled') return;
        this.failure = error;
        this.#lanes = levelLanes(data, this.#ownName);
      },
    });
  }

  /** Pinned patterns are counted without the filter, so that they stay when it changes. */
  #pin(data: TimelineData, view: View, pinned: readonly PinnedPattern[]): void {
    if (pinned.length === 0 || data.buckets === 0) {
      this.#pins.stop();
      this.#pinned = null;
      return;
    }
    const by = pinnedAxes(data);
    const requests = pinned.map(({ id }) => ({
      view: { ...view, query: `template:${id}` },
      by,
      measures: [],
    }));
    this.#pins.replace({
      key: `${data.key} ${data.total} ${data.fraction} ${JSON.stringify(requests)}`,
      load: (signal) =>
        Promise.all(requests.map((request) => this.#client.call('aggregate', request, { signal }))),
      done: (answers) => {
        const lanes = answers.map((answer, at) => pinnedLane(data, pinned[at]!.text, answer));
        this.#pinned = { data, lanes: lanes.filter((lane) => lane !== null) };
      },
      failed: () => (this.#pinned = null),
    });
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
