/** How often a rule matched over the time of a case. */
import type { Nanos, NoiseBin, TimeSpan } from '../../ipc/generated';

/** A bar from left (0) to right (1). */
export interface NoiseBar {
  readonly left: number;
  readonly width: number;
  /** Of the square root of events, so that few are seen next to many. */
  readonly height: number;
}

/** Bars are at least so wide, so that a single one is seen. */
const LEAST_WIDTH = 0.008;

export function noiseBars(
  noise: readonly NoiseBin[],
  bin: Nanos,
  ends: TimeSpan | null,
): readonly NoiseBar[] {
  if (ends === null || noise.length === 0) return [];
  const width = BigInt(bin) > 0n ? BigInt(bin) : 1n;
  // The first and the last bin are drawn as a whole.
  const floor = (time: bigint) => time - (((time % width) + width) % width);
  const from = floor(BigInt(ends.from));
  const span = Number(floor(BigInt(ends.to)) + width - from);
  const most = Math.max(...noise.map(({ events }) => events));
  return noise.map(({ start, events }) => ({
    left: Number(BigInt(start) - from) / span,
    width: Math.max(Number(width) / span, LEAST_WIDTH),
    height: Math.sqrt(events / most),
  }));
}

const DAY_S = 86_400;

/** Events in a day; null for less than a day of data. */
export function eventsPerDay(events: number, ends: TimeSpan | null): number | null {
  if (ends === null) return null;
  const seconds = Number(BigInt(ends.to) - BigInt(ends.from)) / 1e9;
  return seconds < DAY_S ? null : (events * DAY_S) / seconds;
}
