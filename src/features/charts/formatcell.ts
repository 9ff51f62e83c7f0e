import { numberFormat } from '../../base/locale';
import type { Time } from '../../base/time';
import type { Clock } from '../../base/zone';
import type { ColumnUnit, NumbersCell } from '../../state/charts/chartdata';
import { formatExact, formatValue } from '../../state/charts/units';

const share = numberFormat({ style: 'percent', maximumFractionDigits: 1 });

/** Formats a cell of a table, with times in the clock's zone. */
export function formatCell(value: NumbersCell, unit: ColumnUnit, clock: Clock): string {
  if (value === null) return '–';
  if (typeof value === 'bigint') return clock.short(value as Time);
  if (typeof value === 'string') return value;
  if (unit === 'share') return share.format(value);
  return unit === 'plain' || unit === 'text' || unit === 'time'
    ? formatExact(value)
    : formatValue(value, unit);
}
