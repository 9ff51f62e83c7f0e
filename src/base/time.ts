/**
 * Times as the engine has them: nanoseconds since 1970-01-01 UTC.
 *
 * They are bigints because a JavaScript number cannot hold a nanosecond of this century, and
 * branded so that a duration or a count cannot be used as a time by accident.
 */
declare const timeBrand: unique symbol;
export type Time = bigint & { readonly [timeBrand]: true };

export interface TimeRange {
  /** Inclusive. */
  readonly from: Time;
  /** Exclusive. */
  readonly to: Time;
}

export const MICROSECOND = 1_000n;
export const MILLISECOND = 1_000_000n;
export const SECOND = 1_000_000_000n;
export const MINUTE = 60n * SECOND;
export const HOUR = 60n * MINUTE;
export const DAY = 24n * HOUR;

const LEAST = -(2n ** 63n);
const GREATEST = 2n ** 63n - 1n;

export function asTime(nanoseconds: bigint): Time {
  return nanoseconds as Time;
}

export function timeFromNanos(text: string): Time {
  return BigInt(text) as Time;
}

/** The decimal string on the wire; the caller names the wire's string type. */
export function nanosFromTime<Wire extends string>(time: Time): Wire {
  return time.toString() as Wire;
}

export function timeFromDate(date: Date): Time {
  return asTime(BigInt(date.getTime()) * MILLISECOND);
}

/** Division that rounds down, before 1970 too. */
export function floorDiv(value: bigint, step: bigint): bigint {
  const quotient = value / step;
  return value % step < 0n ? quotient - 1n : quotient;
}

export function floorTo(time: Time, step: bigint): Time {
  return asTime(floorDiv(time, step) * step);
}

export function ceilTo(time: Time, step: bigint): Time {
  return asTime(-floorDiv(-time, step) * step);
}

export function dateOf(time: Time): Date {
  return new Date(Number(floorDiv(time, MILLISECOND)));
}

function nanosecondsInSecond(time: Time): bigint {
  return time - floorDiv(time, SECOND) * SECOND;
}

/** `2026-03-01`, in UTC. */
export function formatDay(time: Time): string {
  return dateOf(time).toISOString().slice(0, -14);
}

/** `14:05:09`, in UTC. */
export function formatClock(time: Time): string {
  return dateOf(time).toISOString().slice(-13, -5);
}

/** `2026-03-01 14:05:09.123`, in UTC: the format of lists. */
export function formatTime(time: Time): string {
  return `${formatDay(time)} ${dateOf(time).toISOString().slice(-13, -1)}`;
}

/** With all digits of the fraction that the time has: the format of the detail. */
export function formatTimeFull(time: Time): string {
  const fraction = nanosecondsInSecond(time).toString().padStart(9, '0').replace(/0+$/, '');
  const clock = `${formatDay(time)} ${formatClock(time)}`;
  return fraction === '' ? clock : `${clock}.${fraction.padEnd(3, '0')}`;
}

/** Without zero seconds and fractions. */
export function formatTimeShort(time: Time): string {
  const full = formatTimeFull(time);
  return full.endsWith(':00') ? full.slice(0, -3) : full;
}

/**
 * `2026-03-01 14:05 – 14:10`; the day is not repeated if both ends share it. A range often ends a
 * nanosecond after its last event, so its end is whichever of the two is shorter.
 */
export function formatRange(range: TimeRange): string {
  const from = formatTimeShort(range.from);
  const [end, last] = [range.to, asTime(range.to - 1n)].map(formatTimeShort) as [string, string];
  const to = last.length < end.length ? last : end;
  if (from === to) return from;
  const day = formatDay(range.from);
  return `${from} – ${to.startsWith(day) ? to.slice(day.length + 1) : to}`;
}

const SPAN_UNITS: readonly (readonly [bigint, string])[] = [
  [DAY, 'd'],
  [HOUR, 'h'],
  [MINUTE, 'min'],
  [SECOND, 's'],
  [MILLISECOND, 'ms'],
  [MICROSECOND, 'µs'],
  [1n, 'ns'],
];

/** `30 s`, `1 h 30 min`: a duration, rounded to its two largest units. */
export function formatSpan(exact: bigint): string {
  const first = SPAN_UNITS.findIndex(([unit]) => exact >= unit);
  const least = SPAN_UNITS[first + 1]?.[0] ?? 1n;
  const span = ((exact + least / 2n) / least) * least;
  const at = SPAN_UNITS.findIndex(([unit]) => span >= unit);
  const largest = SPAN_UNITS[at];
  if (largest === undefined) return '0 s';
  const whole = `${span / largest[0]} ${largest[1]}`;
  const next = SPAN_UNITS[at + 1];
  const rest = next === undefined ? 0n : (span % largest[0]) / next[0];
  return next === undefined || rest === 0n ? whole : `${whole} ${rest} ${next[1]}`;
}

const WRITTEN =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ]+(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(?:Z|UTC)?$/i;

/** Parses what a person types: a day, with an optional time of day, always UTC. Null if it is no time. */
export function parseTime(text: string): Time | null {
  const found = WRITTEN.exec(text.trim());
  if (found === null) return null;
  const [year, month, day, hour, minute, second] = found
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const utc = Date.UTC(year!, month! - 1, day!, hour!, minute!, second!);
  const back = new Date(utc);
  // Date.UTC turns 31 February into 3 March; a mistyped day is rejected instead.
  const exact =
    back.getUTCFullYear() === year &&
    back.getUTCMonth() === month! - 1 &&
    back.getUTCDate() === day;
  if (!exact || hour! > 23 || minute! > 59 || second! > 59) return null;
  const fraction = BigInt((found[7] ?? '').padEnd(9, '0'));
  const time = BigInt(utc) * MILLISECOND + fraction;
  return time < LEAST || time > GREATEST ? null : asTime(time);
}
