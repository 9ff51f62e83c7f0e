/** Numbers and sizes in the person's locale. */
import { numberFormat } from './locale';

const whole = numberFormat();
const compact = numberFormat({ notation: 'compact', maximumFractionDigits: 1 });
const percent = numberFormat({ style: 'percent', maximumFractionDigits: 0 });

export function formatCount(count: number): string {
  return whole.format(count);
}

const rules = new Intl.PluralRules('en');

/** The form of a word that a count has: `file` or `files`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return rules.select(count) === 'one' ? one : many;
}

/** `1 file`, `1,234 files`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${plural(count, one, many)}`;
}

/** `1.2M`: for axes, where a full number does not fit. */
export function formatCompact(count: number): string {
  return compact.format(count);
}

/** A share, rounded. Something is never shown as 0 %, nor less than all as 100 %. */
export function formatShare(share: number): string {
  return shareText(share, Math.round(share * 100));
}

/**
 * The shares of the parts of a whole, for a column: they add up to 100 %, together with what is
 * not listed. The largest remainders are rounded up. If parts overlap, each is rounded by itself.
 */
export function formatShares(shares: readonly number[]): string[] {
  const unlisted = 1 - shares.reduce((sum, share) => sum + share, 0);
  if (unlisted < -OVERLAP) return shares.map(formatShare);
  const exact = [...shares, unlisted].map((share) => share * 100 + OVERLAP);
  const rounded = exact.map(Math.floor);
  const missing = 100 - rounded.reduce((sum, whole) => sum + whole, 0);
  const remainders = exact.map((_, at) => at).sort((a, b) => (exact[b]! % 1) - (exact[a]! % 1));
  for (const at of remainders.slice(0, missing)) rounded[at]! += 1;
  return shares.map((share, at) => shareText(share, rounded[at]!));
}

/** Shares of counts are this exact: a sum of parts differs from 1 by less. */
const OVERLAP = 1e-9;

function shareText(share: number, wholePercent: number): string {
  if (share > 0 && wholePercent === 0) return `<${percent.format(0.01)}`;
  if (share < 1 && wholePercent === 100) return `>${percent.format(0.99)}`;
  return percent.format(wholePercent / 100);
}

const precise = numberFormat({ style: 'percent', maximumSignificantDigits: 3 });

/** A share so exact that those of rare events differ: `0.0213%`. */
export function formatRareShare(share: number): string {
  return share < 1 && share >= 0.9995 ? `>${precise.format(0.999)}` : precise.format(share);
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

/** From so many hours on, days are easier to read. */
const DAYS_FROM_H = 48;

/** `4 s`, `2 min 5 s`, `1 h 3 min`, `3 d 2 h`: durations for people who wait. */
export function formatSeconds(seconds: number): string {
  const rounded = Math.max(1, Math.ceil(seconds));
  if (rounded < 60) return `${rounded} s`;
  if (rounded < 600) return `${Math.floor(rounded / 60)} min ${rounded % 60} s`;
  const minutes = Math.round(rounded / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.round(rounded / 3600);
  if (hours >= DAYS_FROM_H) return `${Math.floor(hours / 24)} d ${hours % 24} h`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
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
