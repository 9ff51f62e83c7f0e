/** A time axis on which long stretches without events are folded to narrow breaks. */
import { asTime, type Time, type TimeRange } from '../../base/time';
import type { Clock } from '../../base/zone';
import { dayLabel, TimeScale, timeTicks, type TimeTick } from './timescale';

/** The width of a break. */
const FOLD_PX = 16;
/** A stretch folds if it would be this many times as wide as a break. */
const WIDER = 2;
/** Breaks take at most this share of the width. */
const MOST_SHARE = 0.5;

/** A part of the axis on which time is linear. */
interface Piece extends TimeRange {
  readonly fromPx: number;
  readonly toPx: number;
  readonly isFold: boolean;
}

interface Buckets {
  readonly start: Time;
  readonly bucket: bigint;
  readonly sums: readonly number[];
}

/** The runs of empty buckets inside a range, and what the buckets leave of it at either end. */
export function emptyStretches({ start, bucket, sums }: Buckets, range: TimeRange): TimeRange[] {
  const found: TimeRange[] = [];
  let from = range.from;
  const endAt = (until: Time) => {
    const to = until < range.to ? until : range.to;
    if (to > from) found.push({ from, to });
  };
  sums.forEach((sum, at) => {
    if (sum === 0) return;
    endAt(asTime(start + bucket * BigInt(at)));
    const next = asTime(start + bucket * BigInt(at + 1));
    if (next > from) from = next;
  });
  endAt(range.to);
  return found;
}

export class FoldedScale extends TimeScale {
  override readonly folds: readonly TimeRange[];
  readonly #pieces: readonly Piece[];

  constructor(range: TimeRange, widthPx: number, stretches: readonly TimeRange[]) {
    super(range, widthPx);
    this.folds = foldsOf(range, widthPx, stretches);
    this.#pieces = piecesOf(range, widthPx, this.folds);
  }

  override toPx(time: Time): number {
    if (time < this.range.from || time > this.range.to) return super.toPx(time);
    const piece = this.#pieces.find(({ to }) => time < to) ?? this.#pieces.at(-1);
    if (piece === undefined) return super.toPx(time);
    const share = Number(time - piece.from) / Number(piece.to - piece.from);
    return piece.fromPx + share * (piece.toPx - piece.fromPx);
  }

  override toTime(px: number): Time {
    const inside = Math.min(Math.max(px, 0), this.widthPx);
    const piece = this.#pieces.find(({ toPx }) => inside < toPx) ?? this.#pieces.at(-1);
    if (piece === undefined) return super.toTime(px);
    const share = (inside - piece.fromPx) / (piece.toPx - piece.fromPx);
    return asTime(piece.from + BigInt(Math.round(Number(piece.to - piece.from) * share)));
  }

  /** Each part begins with its day, because the one before can be years earlier. */
  override ticks(labelPx: number, clock: Clock): TimeTick[] {
    const ticks: TimeTick[] = [];
    let freePx = -Infinity;
    for (const piece of this.#pieces.filter(({ isFold }) => !isFold)) {
      const most = Math.floor((piece.toPx - piece.fromPx) / labelPx);
      const day = { time: piece.from, label: dayLabel(clock.wall(piece.from)) };
      for (const tick of [day, ...(most < 1 ? [] : timeTicks(piece, most, clock))]) {
        const px = this.toPx(tick.time);
        if (px < freePx) continue;
        ticks.push(tick);
        freePx = px + labelPx;
      }
    }
    return ticks;
  }
}

/** The longest stretches, as long as they are wide on what is left of the axis. */
function foldsOf(
  range: TimeRange,
  widthPx: number,
  stretches: readonly TimeRange[],
): readonly TimeRange[] {
  const most = Math.floor((widthPx * MOST_SHARE) / FOLD_PX);
  const longest = stretches.toSorted((a, b) => Number(b.to - b.from - (a.to - a.from)));
  let openNs = Number(range.to - range.from);
  let count = 0;
  for (const { from, to } of longest.slice(0, most)) {
    const lengthNs = Number(to - from);
    const perNs = (widthPx - count * FOLD_PX) / openNs;
    if (lengthNs * perNs <= WIDER * FOLD_PX || lengthNs >= openNs) break;
    openNs -= lengthNs;
    count += 1;
  }
  return longest.slice(0, count).toSorted((a, b) => Number(a.from - b.from));
}

function piecesOf(range: TimeRange, widthPx: number, folds: readonly TimeRange[]): Piece[] {
  const openNs = folds.reduce((left, { from, to }) => left - (to - from), range.to - range.from);
  const perNs = (widthPx - folds.length * FOLD_PX) / Math.max(1, Number(openNs));
  const pieces: Piece[] = [];
  let [at, px] = [range.from, 0];
  const put = (to: Time, isFold: boolean) => {
    if (to <= at) return;
    const toPx = px + (isFold ? FOLD_PX : Number(to - at) * perNs);
    pieces.push({ from: at, to, fromPx: px, toPx, isFold });
    [at, px] = [to, toPx];
  };
  for (const { from, to } of folds) {
    put(from, false);
    put(to, true);
  }
  put(range.to, false);
  return pieces;
}
