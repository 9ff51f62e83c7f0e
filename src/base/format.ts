/** Numbers and sizes in the person's locale. */
import { numberFormat } from './locale';

const whole = numberFormat();
const compact = numberFormat({ notation: 'compact', maximumFractionDigits: 1 });
const percent = numberFormat({ style: 'percent', maximumFractionDigits: 0 });

export function formatCount(count: number): string {
  return whole.format(count);
}

/** `1.2M`: for axes, where a full number does not fit. */
export function formatCompact(count: number): string {
  return compact.format(count);
}

/** Never 100 % for unfinished work. */
export function formatShare(share: number): string {
  return percent.format(share < 1 ? Math.min(Math.floor(share * 100), 99) / 100 : 1);
}

const tenths = numberFormat({ style: 'percent', maximumFractionDigits: 1 });

/** A share: a small one is never shown as 0 %, nor a large one as 100 %. */
export function formatPart(part: number): string {
  if (part > 0 && part < 0.001) return `<${tenths.format(0.001)}`;
  return part > 0 && part < 0.01 ? `<${percent.format(0.01)}` : formatShare(part);
}

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;

/** Decimal units, three digits: `1.23 MB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // From 999.5 on, three digits would round to 1000 of this unit.
  while (value >= 999.5 && unit < BYTE_UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  const number = numberFormat({
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(value);
  return `${number} ${BYTE_UNITS[unit]}`;
}

/** `4 s`, `2 min 5 s`, `1 h 3 min`: durations for people who wait. */
export function formatSeconds(seconds: number): string {
  const rounded = Math.max(1, Math.ceil(seconds));
  if (rounded < 60) return `${rounded} s`;
  if (rounded < 600) return `${Math.floor(rounded / 60)} min ${rounded % 60} s`;
  if (rounded < 3600) return `${Math.round(rounded / 60)} min`;
  return `${Math.floor(rounded / 3600)} h ${Math.round((rounded % 3600) / 60)} min`;
}

/** `0.4 ms`, `12 ms`, `1.3 s`: query latencies. */
export function formatMillis(millis: number): string {
  if (millis >= 999.5) return `${(millis / 1000).toFixed(1)} s`;
  return `${millis < 9.95 ? millis.toFixed(1) : Math.round(millis)} ms`;
}

/** The last component of a path with slashes or backslashes. */
export function fileName(path: string): string {
  return path.split(/[\\/]/).findLast((part) => part !== '') ?? path;
}
