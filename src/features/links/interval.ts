/** The ends of a clock's difference. */
import { formatSpan } from '../../base/time';

/** `1 h`, or `58 min` and `1 h`. A sign is written only where the ends have different ones. */
export function intervalEnds(least: bigint, most: bigint): readonly string[] {
  const size = (value: bigint) => formatSpan(value < 0n ? -value : value);
  if (least < 0n && most > 0n) return [`−${size(least)}`, `+${size(most)}`];
  const ends = [least, most].map(size);
  if (least < 0n) ends.reverse();
  return [...new Set(ends)];
}
