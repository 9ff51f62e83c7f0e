/** How late events of a live source arrive. */
import { formatSeconds } from '../../base/format';
import { texts } from '../../base/texts';
import { asTime, DAY, MILLISECOND, timeFromNanos } from '../../base/time';
import type { Clock } from '../../base/zone';
import type { LiveSource } from '../../ipc/generated';

/** A lag below this is the way from the sender to the screen. */
export const LEAST_LAG_MS = 2_000;

/** From a day on, the log is an old one, and its newest event is not late. Null if there is nothing to say. */
export function lateness(
  { lagMs, last }: Pick<LiveSource, 'lagMs' | 'last'>,
  clock: Pick<Clock, 'day'>,
): string | null {
  if (lagMs === null || lagMs < LEAST_LAG_MS) return null;
  const words = texts.live.panel;
  const lag = BigInt(Math.round(lagMs)) * MILLISECOND;
  if (lag < DAY || last === null) return words.lag(formatSeconds(lagMs / 1000));
  return words.old(clock.day(asTime(timeFromNanos(last) - lag)));
}
