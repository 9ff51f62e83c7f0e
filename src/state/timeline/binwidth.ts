/** The width of the bins of the timeline and of charts. */
import { DAY, HOUR, MINUTE, SECOND, type TimeRange } from '../../base/time';

const WIDTHS: readonly bigint[] = [
  SECOND / 1000n,
  SECOND / 100n,
  SECOND / 10n,
  SECOND,
  5n * SECOND,
  10n * SECOND,
  30n * SECOND,
  MINUTE,
  5n * MINUTE,
  10n * MINUTE,
  15n * MINUTE,
  30n * MINUTE,
  HOUR,
  3n * HOUR,
  6n * HOUR,
  12n * HOUR,
  DAY,
  7n * DAY,
];

/** More bins could not be distinguished on any screen. */
export const MOST_BINS = 1_000;

/** The widths that divide a range into at least two bins and no more than can be shown. */
export function offeredWidths({ from, to }: TimeRange): bigint[] {
  const span = to - from;
  return WIDTHS.filter((width) => span > width && span / width < BigInt(MOST_BINS));
}

/** How many bins to request for a width; the automatic number if the range has too many of them. */
export function binsOf(widthNs: string | null, { from, to }: TimeRange, automatic: number): number {
  if (widthNs === null) return automatic;
  const bins = (to - from) / BigInt(widthNs);
  // The engine takes the narrowest round width that needs no more bins; two are cut at the ends.
  return bins > BigInt(MOST_BINS) || bins < 1n ? automatic : Number(bins) + 2;
}

/** The narrowest multiple of the timeline's width whose bins are wide enough to be seen. */
export function chartWidth(
  bucket: bigint,
  buckets: number,
  widthPx: number,
  leastPx: number,
): bigint {
  const most = Math.max(1, Math.floor(widthPx / leastPx));
  return bucket * BigInt(Math.max(1, Math.ceil(buckets / most)));
}
