import { asTime, timeFromNanos, type Time } from '../../base/time';
import type { LevelSeries, Timeline, TimelineLane } from '../../ipc/generated';
import type { RangeChoice } from '../view/ranges';

/** A timeline as the screen draws it: times instead of strings, with sums over all levels. */
export interface TimelineData {
  /** Identifies the request; two answers with the same key show the same view. */
  readonly key: string;
  readonly range: RangeChoice;
  readonly start: Time;
  readonly end: Time;
  readonly bucket: bigint;
  /** How many buckets there are, empty ones included. */
  readonly buckets: number;
  readonly series: readonly LevelSeries[];
  /** Events per bucket, over all levels. */
  readonly sums: readonly number[];
  readonly tallest: number;
  readonly nonempty: number;
  readonly total: number;
  readonly untimed: number;
  /** The same for the case and for each cluster that it is shown with. */
  readonly places: readonly PlaceCounts[];
  readonly fraction: number;
  readonly elapsedMs: number;
}

/** What a case or a cluster adds to a timeline. */
export interface PlaceCounts {
  /** Null for the case. */
  readonly remote: string | null;
  readonly series: readonly LevelSeries[];
  readonly sums: readonly number[];
}

export function timelineData(key: string, range: RangeChoice, wire: Timeline): TimelineData {
  const buckets = Math.max(0, ...wire.series.map((series) => series.counts.length));
  const sums = summed(wire.series, buckets);
  const start = timeFromNanos(wire.start);
  const bucket = BigInt(wire.bucketNs);
  return {
    key,
    range,
    start,
    end: asTime(start + bucket * BigInt(buckets)),
    bucket,
    buckets,
    series: wire.series,
    sums,
    tallest: sums.reduce((most, sum) => Math.max(most, sum), 0),
    nonempty: sums.filter((sum) => sum > 0).length,
    total: wire.total,
    untimed: wire.untimed,
    places: (wire.lanes ?? []).map((lane) => placeCounts(lane, buckets)),
    fraction: wire.fraction,
    elapsedMs: wire.elapsedMs,
  };
}

function placeCounts({ remote, series }: TimelineLane, buckets: number): PlaceCounts {
  return { remote, series, sums: summed(series, buckets) };
}

function summed(series: readonly LevelSeries[], buckets: number): number[] {
  const sums = new Array<number>(buckets).fill(0);
  for (const { counts } of series) {
    counts.forEach((count, bucket) => (sums[bucket]! += count));
  }
  return sums;
}

/** Where each bucket begins, and where the last one ends. */
export function bucketEdges({ start, bucket, buckets }: TimelineData): Time[] {
  return Array.from({ length: buckets + 1 }, (_, at) => asTime(start + bucket * BigInt(at)));
}

/** The bounds of one bucket. */
export function bucketRange(data: TimelineData, bucket: number): { from: Time; to: Time } {
  const from = asTime(data.start + data.bucket * BigInt(bucket));
  return { from, to: asTime(from + data.bucket) };
}
