/** Figures as CSV that spreadsheets open as figures and never as formulas. */
import { formatTimeFull, type Time } from '../../base/time';
import type { Numbers, NumbersCell } from './chartdata';

/** What a spreadsheet would take for a formula when a cell begins with it. */
const FORMULA = /^[=+\-@\t\r\n]/;

function cell(value: NumbersCell): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'bigint') return `${formatTimeFull(value as Time).replace(' ', 'T')}Z`;
  return textCell(value);
}

/** A text for a cell: what could be a formula is marked as text, what needs quotes gets them. */
export function textCell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function csvOf({ columns, rows }: Numbers): string {
  const heads = columns.map(({ name }) => textCell(name)).join(',');
  return [heads, ...rows.map((row) => row.map(cell).join(','))].join('\r\n') + '\r\n';
}
