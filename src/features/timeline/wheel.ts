/** Zoom and shift of a time range by the mouse wheel. */
import {
  asTime,
  ceilTo,
  floorTo,
  MICROSECOND,
  MILLISECOND,
  MINUTE,
  SECOND,
  type Time,
  type TimeRange,
} from '../../base/time';
import type { RangeChoice } from '../../state/view/ranges';

/** A notch of a common mouse, in pixels, and its zoom factor. */
const NOTCH_PX = 100;
const ZOOM_A_NOTCH = 1.25;
/** A microsecond is the shortest range that is useful. */
const FINEST_NS = 1_000n;
const STEPS = [MINUTE, SECOND, MILLISECOND, MICROSECOND];
/** The ratio of a range to the unit to which its ends are rounded. */
const FINER = 200n;

/** Zooms around a time, which stays where it is; the full range is the limit. */
export function zoomed(shown: TimeRange, at: Time, deltaPx: number, whole: TimeRange): RangeChoice {
  const span = Number(shown.to - shown.from);
  const wanted = BigInt(Math.max(1, Math.round(span * ZOOM_A_NOTCH ** (deltaPx / NOTCH_PX))));
  const length = wanted < FINEST_NS ? FINEST_NS : wanted;
  const share = span === 0 ? 0.5 : Number(at - shown.from) / span;
  const from = asTime(at - BigInt(Math.round(Number(length) * share)));
  // Readable ends, as exact as the screen.
  const step = STEPS.find((each) => each * FINER <= length) ?? 1n;
  return within({ from: floorTo(from, step), to: ceilTo(asTime(from + length), step) }, whole);
}

/** Shifts by a share of the visible range. */
export function shifted(shown: TimeRange, share: number, whole: TimeRange): RangeChoice {
  const span = shown.to - shown.from;
  const by = BigInt(Math.round(Number(span) * share));
  const from = clamp(shown.from + by, whole.from, whole.to - span);
  return within({ from: asTime(from), to: asTime(from + span) }, whole);
}

function within(range: TimeRange, whole: TimeRange): RangeChoice {
  const from = range.from < whole.from ? whole.from : range.from;
  const to = range.to > whole.to ? whole.to : range.to;
  const isWhole = from <= whole.from && to >= whole.to;
  return isWhole || from >= to ? null : { from, to };
}

function clamp(value: bigint, least: bigint, most: bigint): bigint {
  if (value > most) value = most;
  return value < least ? least : value;
}
