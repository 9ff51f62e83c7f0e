import { asTime, timeFromNanos, type Time, type TimeRange } from '../../base/time';
import type { CaseSummary } from '../../ipc/generated';
import { bucketRange, type TimelineData } from '../../state/timeline/timelinedata';
import type { BucketSpan } from '../plot/brush';

/**
 * The time range of the axis: the requested range, otherwise the whole case. Not only the matches,
 * so that the axis does not move while a filter is typed.
 */
export function domainOf(data: TimelineData, summary: CaseSummary): TimeRange {
  if (data.range !== null) return data.range;
  const first = summary.first === null ? data.start : timeFromNanos(summary.first);
  const last = summary.last === null ? data.end : asTime(timeFromNanos(summary.last) + 1n);
  if (data.buckets === 0) return { from: first, to: last };
  return { from: least(first, data.start), to: greatest(last, data.end) };
}

/** The time range of some buckets, cut to the range of the axis. */
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
