/** The spike of a timeline: from where the counts leave their usual band to where they return. */
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
/** The band ends this many scaled median deviations above the usual count. */
const BAND_DEVIATIONS = 3;
/** Makes a median deviation comparable with a standard deviation. */
const DEVIATION_SCALE = 1.4826;
/** So many usual buckets in a row end a spike; fewer are a lull in it. */
const LULL_BUCKETS = 2;
/** Errors weigh more than other events: a hundred of them are a spike where thousands of others are none. */
const ERROR_WEIGHT = 4;
/** A timeline with fewer buckets that have events has no usual count. */
const LEAST_BUCKETS = 8;
/** So does one in which fewer than this share of the buckets have events: logs of different years in one folder. */
const LEAST_FILLED = 0.5;

/** The run of unusual buckets around the highest one; null if all are usual. */
export function spikeOf(data: TimelineData): Spike | null {
  if (data.nonempty < Math.max(LEAST_BUCKETS, LEAST_FILLED * data.buckets)) return null;
  const errors = new Array<number>(data.buckets).fill(0);
  for (const { level, counts } of data.series) {
    if (level !== 'error' && level !== 'fatal') continue;
    counts.forEach((count, at) => (errors[at]! += count));
  }
  const weights = data.sums.map((sum, at) => sum + ERROR_WEIGHT * errors[at]!);
  const filled = weights.filter((weight) => weight > 0);
  const usual = median(filled);
  const peak = weights.indexOf(Math.max(...weights));
  if (weights[peak]! < TIMES_USUAL * usual || weights[peak]! - usual < LEAST_MORE) return null;
  const top = usual + bandOf(filled, usual);
  const first = runEnd(weights, top, peak, -1);
  const last = runEnd(weights, top, peak, 1);
  const sum = (counts: readonly number[]) =>
    counts.slice(first, last + 1).reduce((all, count) => all + count, 0);
  return {
    range: { from: bucketRange(data, first).from, to: bucketRange(data, last).to },
    events: sum(data.sums),
    errors: sum(errors),
  };
}

/** How far above the usual count a bucket is still usual: by the spread of all, at least by chance. */
function bandOf(weights: readonly number[], usual: number): number {
  const deviation = median(weights.map((weight) => Math.abs(weight - usual)));
  return BAND_DEVIATIONS * Math.max(DEVIATION_SCALE * deviation, Math.sqrt(usual));
}

/** The last unusual bucket in a direction, before the counts stay in the band. */
function runEnd(weights: readonly number[], top: number, peak: number, step: 1 | -1): number {
  let end = peak;
  for (let at = peak + step; Math.abs(at - end) <= LULL_BUCKETS; at += step) {
    const weight = weights[at];
    if (weight === undefined) break;
    if (weight > top) end = at;
  }
  return end;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
