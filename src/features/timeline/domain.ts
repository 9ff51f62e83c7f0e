import { asTime, timeFromNanos, type Time, type TimeRange } from '../../base/time';
import type { CaseSummary } from '../../ipc/generated';
import { bucketRange, type TimelineData } from '../../state/timeline/timelinedata';
import type { BucketSpan } from '../plot/brush';

/**
 * The stretch of time the axis shows: the range that was asked for, else all of the case. Not only
 * what matches, so that the axis stands still while a filter is typed.
 */
export function domainOf(data: TimelineData, summary: CaseSummary): TimeRange {
  if (data.range !== null) return data.range;
  const first = summary.first === null ? data.start : timeFromNanos(summary.first);
  const last = summary.last === null ? data.end : asTime(timeFromNanos(summary.last) + 1n);
  if (data.buckets === 0) return { from: first, to: last };
  return { from: least(first, data.start), to: greatest(last, data.end) };
}

/** The time of some buckets, without what stands out over the axis. */
export function spanRange(data: TimelineData, span: BucketSpan, domain: TimeRange): TimeRange {
  const from = greatest(bucketRange(data, span.first).from, domain.from);
  const to = least(bucketRange(data, span.last).to, domain.to);
  return { from, to };
}

function least(a: Time, b: Time): Time {
  return a < b ? a : b;
}

function greatest(a: Time, b: Time): Time {
  return a > b ? a : b;
}
