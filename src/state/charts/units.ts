/** The unit of a field's numbers, derived from its name, and their format. */
import { formatCount } from '../../base/format';
import { numberFormat } from '../../base/locale';

export type Unit = 'plain' | 'bytes' | 'perSecond' | 'ns' | 'us' | 'ms' | 's' | 'min';

const BY_ENDING: readonly (readonly [RegExp, Unit])[] = [
  [/(^|[_.])(ns|nanos|nanoseconds)$/i, 'ns'],
  [/(^|[_.])(us|micros|microseconds)$/i, 'us'],
  [/(^|[_.])(ms|millis|milliseconds)$/i, 'ms'],
  [/(^|[_.])(min|minutes)$/i, 'min'],
  [/(^|[_.])(s|sec|secs|seconds)$/i, 's'],
  [/(^|[_.])(bytes|byte_count|size_bytes|content_length)$/i, 'bytes'],
];

export function unitOf(field: string): Unit {
  return BY_ENDING.find(([ending]) => ending.test(field))?.[1] ?? 'plain';
}

/** Whether a field is a duration, by its name and unit. */
export function isDuration(field: string): boolean {
  const unit = unitOf(field);
  if (/duration|latency|elapsed|took|response_time|request_time/i.test(field)) return true;
  return unit !== 'plain' && unit !== 'bytes';
}

const NANOSECONDS: Partial<Record<Unit, number>> = {
  ns: 1,
  us: 1e3,
  ms: 1e6,
  s: 1e9,
  min: 60e9,
};

const SECOND = 1e9;
const MINUTE = 60 * SECOND;

const TIME_UNITS: readonly (readonly [number, string])[] = [
  [86_400e9, 'd'],
  [3_600e9, 'h'],
  [60e9, 'min'],
  [1e9, 's'],
  [1e6, 'ms'],
  [1e3, 'µs'],
  [1, 'ns'],
];

/** From here on three digits and a suffix are more readable than all digits. */
const COMPACT_FROM = 10_000;

const short = numberFormat({ maximumSignificantDigits: 3 });
const compact = numberFormat({
  notation: 'compact',
  maximumSignificantDigits: 3,
});
const exact = numberFormat({ maximumFractionDigits: 9 });

/** Three digits and a unit: `12.3 ms`, `1.5 kB`, `4.2K`. */
export function formatValue(value: number, unit: Unit): string {
  if (!Number.isFinite(value)) return String(value);
  if (unit === 'bytes') return formatSize(value);
  const nanoseconds = NANOSECONDS[unit];
  if (nanoseconds !== undefined) return formatDuration(value * nanoseconds);
  const shown = Math.abs(value) >= COMPACT_FROM ? compact.format(value) : formatPlain(value);
  return unit === 'perSecond' ? `${shown}/s` : shown;
}

/** A value on an axis, in the unit of the largest one, so that `10k` is not next to `8,000`. */
export function formatTick(value: number, unit: Unit, most: number): string {
  if (unit === 'plain' && most >= COMPACT_FROM) return compact.format(value);
  const nanoseconds = value * (NANOSECONDS[unit] ?? 0);
  // Of minutes and more only whole ones: `100 s`, not `1.67 min`.
  if (
    nanoseconds >= MINUTE &&
    TIME_UNITS.every(([size]) => size < MINUTE || nanoseconds % size !== 0)
  ) {
    const seconds = nanoseconds / SECOND;
    return `${seconds >= COMPACT_FROM ? compact.format(seconds) : formatPlain(seconds)} s`;
  }
  return formatValue(value, unit);
}

function formatPlain(value: number): string {
  return Number.isInteger(value) ? formatCount(value) : short.format(value);
}

const SIZE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;

/** Decimal units, as everywhere on the screen. */
function formatSize(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (Math.abs(value) >= 999.5 && unit < SIZE_UNITS.length - 1)
    [value, unit] = [value / 1000, unit + 1];
  return `${short.format(value)} ${SIZE_UNITS[unit]}`;
}

function formatDuration(nanoseconds: number): string {
  if (nanoseconds === 0) return '0';
  const size = Math.abs(nanoseconds);
  // Rounding to three digits could make 1000 ms of 999.6 ms, so the unit is chosen a little early.
  const [length, name] = TIME_UNITS.find(([length]) => size >= length * 0.9995) ?? [1, 'ns'];
  return `${short.format(nanoseconds / length)} ${name}`;
}

/** All significant digits, for tables. */
export function formatExact(value: number): string {
  return Number.isFinite(value) ? exact.format(value) : String(value);
}

/** From this factor on, a percentage is less readable than a factor. */
const FACTOR_FROM = 10;

/** `+12 %`, `−3.4 %`, `×218`: small changes have one more digit. */
export function formatChange(now: number, before: number): string | null {
  if (before === 0) return null;
  if (now / before >= FACTOR_FROM) return `×${formatCount(Math.round(now / before))}`;
  const percent = ((now - before) / Math.abs(before)) * 100;
  const digits = Math.abs(percent) < 10 ? 1 : 0;
  // A value that rounds to zero has no sign.
  const shown = Number(Math.abs(percent).toFixed(digits));
  const sign = shown === 0 ? '±' : percent > 0 ? '+' : '−';
  return `${sign}${exact.format(shown)} %`;
}

/** `67 ms → 5.08 s (×76)`; `–` for a missing value. */
export function formatCompared(now: number | null, before: number | null, unit: Unit): string {
  const [from, to] = [before, now].map((value) =>
    value === null ? '–' : formatValue(value, unit),
  );
  const change = now === null || before === null ? null : formatChange(now, before);
  return change === null ? `${from} → ${to}` : `${from} → ${to} (${change})`;
}
