import { formatTimeShort, type Time } from '../../base/time';
import type { ColumnUnit, NumbersCell } from '../../state/charts/data';
import { formatExact, formatValue } from '../../state/charts/units';

const share = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });

/** A figure of a table as people read it. */
export function formatCell(value: NumbersCell, unit: ColumnUnit): string {
  if (value === null) return '–';
  if (typeof value === 'bigint') return formatTimeShort(value as Time);
  if (typeof value === 'string') return value;
  if (unit === 'share') return share.format(value);
  return unit === 'plain' || unit === 'text' || unit === 'time'
    ? formatExact(value)
    : formatValue(value, unit);
}
