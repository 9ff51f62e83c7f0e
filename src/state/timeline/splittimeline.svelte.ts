import type { Lifetime } from '../../base/lifetime';
import { texts } from '../../base/texts';
import type { Client, EngineError } from '../../ipc/client';
import type { View } from '../../ipc/generated';
import {
  axesOf,
  isPlain,
  levelLanes,
  lanesOf,
  pinnedAxes,
  pinnedLane,
  withPatternNames,
  withPinned,
  type PinnedLanes,
  type TimelineLanes,
} from './lanes';
import { timelineData, type TimelineData } from './timelinedata';
import { byText, type ShownPattern } from '../patterns/patternlist';
import { keyOf, Request } from '../request.svelte';
import type { RangeChoice } from '../view/ranges';
import type { TimelineChoice } from '../view/viewstate';

/** A timeline, and how it is split. */
interface Split {
  /** Counts the timelines: one with the same total can have other bars. */
  readonly turn: number;
  readonly data: TimelineData;
  readonly view: View;
  readonly choice: TimelineChoice;
}

interface Covered {
  readonly view: View;
  readonly buckets: number;
  readonly range: RangeChoice;
}

/** A split is asked again with each timeline, which follows the case. */
const ofTimeline = {
  ignoresGrowth: true,
  key: ({ turn, view, choice }: Split) => keyOf([turn, view, choice]),
};

/**
 * The timeline split by a field, and the coverage of all events. The current lanes stay until the
 * answer to the latest choice arrives.
 */
export class SplitTimeline {
  readonly lanes = $derived.by((): TimelineLanes | null => {
    const data = this.#data;
    if (data === null) return null;
    const found = this.failure === null ? this.#parts.value : null;
    const pinned = this.#pins.error === null ? this.#pins.value : null;
    // Before the first answer, levels are better than an empty plot.
    const lanes = found ?? levelLanes(data, this.#ownName);
    const named = pinned === null ? null : withPatternNames(pinned, this.#shown);
    return withPinned(lanes, named, texts.seismograph.lanes.matching);
  });

  #data = $state.raw<TimelineData | null>(null);
  #turn = 0;
  /** The name of the case's lane, where it is shown with clusters. */
  readonly #ownName: string;
  readonly #shown: ShownPattern;
  readonly #parts: Request<Split, TimelineLanes>;
  /** The lanes of pinned patterns, and the timeline in whose buckets they are. */
  readonly #pins: Request<Split, PinnedLanes>;
  readonly #all: Request<Covered, TimelineData>;

  constructor(lifetime: Lifetime, client: Client, ownName = '', shown: ShownPattern = byText) {
    this.#ownName = ownName;
    this.#shown = shown;
    this.#parts = new Request(
      lifetime,
      async ({ data, view, choice }, { signal }) => {
        const request = { view, by: axesOf(data, choice), measures: [] };
        const answer = await client.call('aggregate', request, { signal });
        return lanesOf(data, choice, answer) ?? levelLanes(data, ownName);
      },
      ofTimeline,
    );
    this.#pins = new Request(
      lifetime,
      async ({ data, view, choice: { pinned } }, { signal }) => {
        const by = pinnedAxes(data);
        const lanes = pinned.map(async (pattern) => {
          // Counted without the filter, so that they stay when it changes.
          const request = { view: { ...view, query: `template:${pattern.id}` }, by, measures: [] };
          return pinnedLane(data, pattern, await client.call('aggregate', request, { signal }));
        });
        return { data, lanes: (await Promise.all(lanes)).filter((lane) => lane !== null) };
      },
      ofTimeline,
    );
    this.#all = new Request(lifetime, async ({ view, buckets, range }, { signal }) => {
      const answer = await client.call('timeline', { view, buckets }, { signal });
      return timelineData(keyOf([view, buckets]), range, answer);
    });
  }

  /** All events of the same range, if the view is filtered. */
  get coverage(): TimelineData | null {
    return this.#all.value;
  }

  get failure(): EngineError | null {
    return this.#parts.error;
  }

  /** Called for each new timeline and each new choice. */
  show(data: TimelineData, view: View, choice: TimelineChoice, buckets: number): void {
    if (data !== this.#data) this.#turn += 1;
    this.#data = data;
    const split = { turn: this.#turn, data, view, choice };
    if (view.query === '') this.#all.forget();
    else if (data.fraction === 1)
      this.#all.ask({ view: { ...view, query: '' }, buckets, range: data.range });
    if (choice.pinned.length === 0 || data.buckets === 0) this.#pins.forget();
    else this.#pins.ask(split);
    if (isPlain(choice) || data.buckets === 0) this.#parts.forget();
    else this.#parts.ask(split);
  }
}
