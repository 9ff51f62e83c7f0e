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
  if (typeof value === 'number') return String(value);
  if (typeof value === 'bigint') return `${formatTimeFull(value as Time).replace(' ', 'T')}Z`;
  return textCell(value);
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
