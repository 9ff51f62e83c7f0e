/** The spike of a timeline: the buckets in which most more happens than usually. */
import type { TimeRange } from '../../base/time';
import type { TimelineData } from './timelinedata';
import { bucketRange } from './timelinedata';

export interface Spike {
  readonly range: TimeRange;
  readonly events: number;
  /** Of level error or worse. */
  readonly errors: number;
}

/** A bucket with this many times the usual count is a spike, if it has at least so many events more. */
const TIMES_USUAL = 3;
const LEAST_MORE = 10;
/** A neighbour with this share of what the peak has above the usual belongs to the spike. */
const NEIGHBOUR_SHARE = 0.6;
/** Errors weigh more than other events: a hundred of them are a spike where thousands of others are none. */
const ERROR_WEIGHT = 4;
/** A timeline with fewer buckets that have events has no usual count. */
const LEAST_BUCKETS = 8;
/** So does one in which fewer than this share of the buckets have events: logs of different years in one folder. */
const LEAST_FILLED = 0.5;

/** The most conspicuous run of buckets; null if all are usual. */
export function spikeOf(data: TimelineData): Spike | null {
  if (data.nonempty < Math.max(LEAST_BUCKETS, LEAST_FILLED * data.buckets)) return null;
  const errors = new Array<number>(data.buckets).fill(0);
  for (const { level, counts } of data.series) {
    if (level !== 'error' && level !== 'fatal') continue;
    counts.forEach((count, at) => (errors[at]! += count));
  }
  const weights = data.sums.map((sum, at) => sum + ERROR_WEIGHT * errors[at]!);
  const usual = median(weights.filter((weight) => weight > 0));
  const peak = weights.indexOf(Math.max(...weights));
  const above = (at: number) => (weights[at] ?? 0) - usual;
  if (weights[peak]! < TIMES_USUAL * usual || above(peak) < LEAST_MORE) return null;
  const belongs = (at: number) => above(at) >= Math.max(1, NEIGHBOUR_SHARE * above(peak));
  let [first, last] = [peak, peak];
  while (first > 0 && belongs(first - 1)) first -= 1;
  while (last + 1 < data.buckets && belongs(last + 1)) last += 1;
  const sum = (counts: readonly number[]) =>
    counts.slice(first, last + 1).reduce((all, count) => all + count, 0);
  return {
    range: { from: bucketRange(data, first).from, to: bucketRange(data, last).to },
    events: sum(data.sums),
    errors: sum(errors),
  };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
