import type { Lifetime } from '../../base/lifetime';
import { asTime, nanosFromTime, SECOND, timeFromNanos, type TimeRange } from '../../base/time';
import type { Client } from '../../ipc/client';
import type {
  Alert,
  AlertMeasure,
  AlertMeasureRequest,
  Nanos,
  Page,
  PageRequest,
  Timeline,
  TimelineRequest,
} from '../../ipc/generated';
import { ALL, type ComparedIn, type ComparedSides } from '../compare/sides';
import { Request, SLOWLY } from '../request.svelte';
import { Difference } from '../timeline/difference.svelte';

/** Events of an alert that are listed. */
const LISTED = 20;
/** Bars of the events around it. */
const BARS = 60;
/** Slots of time that the measure around it is drawn in. */
const SLOTS = 200;
const LEAST_AROUND = 600n * SECOND;
/** The time that is shown on either side of an alert, as a multiple of its length. */
const AROUND = 2n;
/** An alert of less than this is a moment. */
const MOMENT = SECOND;
const AROUND_MOMENT = 30n * SECOND;
/** All sources around the start. */
const NEAR = 300n * SECOND;
/** The times that the query of an alert begins with. */
const TIMES = /^time:\[\S+ TO \S+\](?: AND (?=\S)|$)/;

/** The times of an alert; those around it if it is a moment, or has no events of its own. */
export function alertRange({ start, end, events }: Alert): TimeRange | null {
  if (start === null || end === null) return null;
  const [from, to] = [timeFromNanos(start), timeFromNanos(end)];
  const around = events === 0 ? (to - from) / 2n + 1n : to - from < MOMENT ? AROUND_MOMENT : 0n;
  return { from: asTime(from - around), to: asTime(to + 1n + around) };
}

/** The filter of an alert without its times, which are a range: a filter on times has no rest to compare with. */
export function alertFilter({ query, start, end }: Alert): string {
  return start === null || end === null ? query : query.replace(TIMES, '');
}

/** Five minutes before its start and after its end. */
export function nearRange({ start, end }: Alert): TimeRange | null {
  if (start === null || end === null) return null;
  return { from: asTime(timeFromNanos(start) - NEAR), to: asTime(timeFromNanos(end) + NEAR) };
}

/** The range in which the events around an alert are counted. */
export function aroundRange(alert: Alert): TimeRange | null {
  const range = alertRange(alert);
  if (range === null) return null;
  const length = (range.to - range.from) * AROUND;
  const around = length > LEAST_AROUND ? length : LEAST_AROUND;
  return { from: asTime(range.from - around), to: asTime(range.to + around) };
}

/** All events in the range of an alert, and all others. */
export function alertSides(alert: Alert): ComparedSides | null {
  const range = alertRange(alert);
  if (range === null) return null;
  const b = { ...ALL, range };
  return { a: { ...b, isOutside: true }, b };
}

/** The counts of all levels, a bar each. */
export function barsOf({ series }: Timeline): number[] {
  const length = Math.max(0, ...series.map(({ counts }) => counts.length));
  return Array.from({ length }, (_, at) =>
    series.reduce((sum, { counts }) => sum + (counts[at] ?? 0), 0),
  );
}

/** The events of an alert, the measure and the events around it, and how its time differs from the rest. */
export class AlertContext {
  readonly events: Request<PageRequest, Page>;
  readonly around: Request<TimelineRequest, Timeline>;
  /** Without groups if its detector measures nothing over time. */
  readonly measure: Request<AlertMeasureRequest, AlertMeasure>;
  readonly difference: Difference;
  readonly #casePath: string;

  constructor(lifetime: Lifetime, client: Client, place: () => ComparedIn) {
    this.#casePath = place().casePath;
    this.events = new Request(
      lifetime,
      (asked, { signal }) => client.call('page', asked, { signal }),
      SLOWLY,
    );
    this.around = new Request(
      lifetime,
      (asked, { signal }) => client.call('timeline', asked, { signal }),
      SLOWLY,
    );
    this.measure = new Request(
      lifetime,
      (asked, { signal }) => client.call('alertMeasure', asked, { signal }),
      SLOWLY,
    );
    this.difference = new Difference(lifetime, client, place);
  }

  /** Asks for the context of an alert. The query of its detector is that of the events around it. */
  show(alert: Alert, detectorQuery: string | null): void {
    const view = { case: this.#casePath, query: alert.query, from: null, to: null };
    this.events.ask(
      alert.events === 0 ? null : { view, order: 'oldestFirst', first: 0, count: LISTED },
    );
    const range = aroundRange(alert);
    if (range === null) {
      this.around.ask(null);
      this.measure.ask(null);
      this.difference.forget();
      return;
    }
    const [from, to] = [nanosFromTime<Nanos>(range.from), nanosFromTime<Nanos>(range.to)];
    const query = detectorQuery ?? alertFilter(alert);
    this.around.ask({ view: { case: this.#casePath, query, from, to }, buckets: BARS });
    const { detector, group } = alert;
    this.measure.ask({ case: this.#casePath, detector, group, around: { from, to }, slots: SLOTS });
    const sides = alertSides(alert);
    if (sides !== null) this.difference.show(sides);
  }

  forget(): void {
    this.events.forget();
    this.around.forget();
    this.measure.forget();
    this.difference.forget();
  }
}
