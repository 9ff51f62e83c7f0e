/**
 * CSV files for spreadsheets, the only CSV that the screen writes. A text that a spreadsheet would run
 * as a formula gets an apostrophe; exports of whole results are written by the engine.
 */
import { formatTimeFull, type Time } from '../../base/time';
import type { Numbers, NumbersCell } from './chartdata';

/** A cell that begins with one of these is a formula for a spreadsheet. */
const FORMULA = /^[=+\-@\t\r\n]/;

function cell(value: NumbersCell): string {
  if (value === null) return '';
  if (typeof value === 'number') return plainNumber(value);
  if (typeof value === 'bigint') return `${formatTimeFull(value as Time).replace(' ', 'T')}Z`;
  return textCell(value);
}

/** Digits that a calculation adds to a number. */
const NOISE_DIGITS = 4;

/** A number without the noise of a calculation: `5081.98` for 5081.9800000000005. */
export function plainNumber(value: number): string {
  const exact = String(value);
  const rounded = String(Number(value.toPrecision(15)));
  return rounded.length + NOISE_DIGITS <= exact.length ? rounded : exact;
}

/** A text as a cell: escaped as text if it could be a formula, quoted if it has separators. */
export function textCell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function csvOf({ columns, rows }: Numbers): string {
  const heads = columns.map(({ name }) => textCell(name)).join(',');
  return [heads, ...rows.map((row) => row.map(cell).join(','))].join('\r\n') + '\r\n';
}
