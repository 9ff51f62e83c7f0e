/** The position of times on an axis, and which of them get a label. */
import { dateFormat } from '../../base/locale';
import {
  asTime,
  ceilTo,
  dateOf,
  DAY,
  formatClock,
  formatTimeFull,
  HOUR,
  MILLISECOND,
  MINUTE,
  SECOND,
  timeFromDate,
  type Time,
  type TimeRange,
} from '../../base/time';
import type { Clock } from '../../base/zone';

/** Maps a time range linearly to pixels. */
export class TimeScale {
  readonly range: TimeRange;
  readonly widthPx: number;
  /** Times that are drawn as breaks. */
  readonly folds: readonly TimeRange[] = [];

  constructor(range: TimeRange, widthPx: number) {
    this.range = range;
    this.widthPx = widthPx;
  }

  /** The difference is taken before the conversion to a number, so that no precision is lost. */
  toPx(time: Time): number {
    const span = this.range.to - this.range.from;
    return span === 0n ? 0 : (Number(time - this.range.from) / Number(span)) * this.widthPx;
  }

  toTime(px: number): Time {
    const share = Math.min(Math.max(px / this.widthPx, 0), 1);
    const span = this.range.to - this.range.from;
    return asTime(this.range.from + BigInt(Math.round(Number(span) * share)));
  }

  /** The times that get a label, at least `labelPx` from one to the next. */
  ticks(labelPx: number, clock: Clock): TimeTick[] {
    return timeTicks(this.range, Math.max(2, Math.floor(this.widthPx / labelPx)), clock);
  }
}

export interface TimeTick {
  readonly time: Time;
  readonly label: string;
}

const STEPS: readonly bigint[] = [
  ...[1n, 10n, 100n, 1_000n, 10_000n, 100_000n].flatMap((unit) => [unit, 2n * unit, 5n * unit]),
  ...[1n, 2n, 5n, 10n, 20n, 50n, 100n, 200n, 500n].map((count) => count * MILLISECOND),
  ...[1n, 2n, 5n, 10n, 15n, 30n].map((count) => count * SECOND),
  ...[1n, 2n, 5n, 10n, 15n, 30n].map((count) => count * MINUTE),
  ...[1n, 2n, 3n, 6n, 12n].map((count) => count * HOUR),
  ...[1n, 2n, 7n, 14n].map((count) => count * DAY),
];

/** Calendar steps, whose length in nanoseconds varies. */
const MONTH_STEPS = [1, 3, 6, 12, 24, 60, 120, 240, 600, 1200];
const SHORTEST_MONTH = 28n * DAY;

/** The first Monday after 1970 began; weeks are counted from it. */
const MONDAY = 4n * DAY;

/** Round times inside a range, at most `most` of them. */
export function timeTicks(range: TimeRange, most: number, clock: Clock | null = null): TimeTick[] {
  if (clock === null) return roundTicks(range, most);
  // Round times are those of the zone's clocks.
  const wall = { from: clock.wall(range.from), to: clock.wall(range.to) };
  return roundTicks(wall, most)
    .map(({ time, label }) => ({ time: clock.fromWall(time), label }))
    .filter(({ time }) => time >= range.from && time < range.to);
}

function roundTicks(range: TimeRange, most: number): TimeTick[] {
  const span = range.to - range.from;
  if (span <= 0n || most < 1) return [];
  const step = STEPS.find((candidate) => span / candidate < BigInt(most));
  if (step === undefined) return monthTicks(range, most);
  const shift = step % (7n * DAY) === 0n ? MONDAY : 0n;
  const ticks: TimeTick[] = [];
  let time = asTime(ceilTo(asTime(range.from - shift), step) + shift);
  while (time < range.to) {
    ticks.push({ time, label: tickLabel(time, step) });
    time = asTime(time + step);
  }
  return ticks;
}

function monthTicks(range: TimeRange, most: number): TimeTick[] {
  const fits = (months: number) =>
    (range.to - range.from) / (SHORTEST_MONTH * BigInt(months)) < BigInt(most);
  const step = MONTH_STEPS.find(fits) ?? MONTH_STEPS.at(-1)!;
  const first = dateOf(range.from);
  let month = first.getUTCFullYear() * 12 + first.getUTCMonth();
  month = Math.floor(month / step) * step;
  const ticks: TimeTick[] = [];
  for (;;) {
    const date = new Date(0);
    // Not Date.UTC, which maps the years 0 to 99 to the 20th century.
    date.setUTCFullYear(Math.floor(month / 12), month % 12, 1);
    const time = timeFromDate(date);
    if (time >= range.to) return ticks;
    if (time >= range.from) ticks.push({ time, label: monthLabel(date, step) });
    month += step;
  }
}

const dayMonth = dateFormat({
  timeZone: 'UTC',
  day: 'numeric',
  month: 'short',
});
const monthYear = dateFormat({
  timeZone: 'UTC',
  month: 'short',
  year: 'numeric',
});

const dayMonthYear = dateFormat({
  timeZone: 'UTC',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
});

/** The whole date of a wall clock. */
export function dayLabel(wall: Time): string {
  return dayMonthYear.format(dateOf(wall));
}

function monthLabel(date: Date, step: number): string {
  return step >= 12 ? String(date.getUTCFullYear()) : monthYear.format(date);
}

/** As short as the step allows; midnight shows its date, so that an axis includes the date. */
function tickLabel(time: Time, step: bigint): string {
  if (time % DAY === 0n) return dayMonth.format(dateOf(time));
  if (step >= MINUTE) return formatClock(time).slice(0, 5);
  if (step >= SECOND) return formatClock(time);
  const full = formatTimeFull(time);
  return full.slice(full.indexOf(' ') + 1);
}
