import { formatShares } from '../../base/format';
import type { Time } from '../../base/time';
import type { Clock } from '../../base/zone';
import type { ColumnUnit, NumbersCell } from '../../state/charts/chartdata';
import { formatExact, formatValue } from '../../state/charts/units';

const MISSING = '–';

/** Formats the cells of a table's column, with times in the clock's zone. */
export function formatColumn(
  cells: readonly NumbersCell[],
  unit: ColumnUnit,
  clock: Clock,
): readonly string[] {
  if (unit !== 'share') return cells.map((cell) => formatCell(cell, unit, clock));
  const shares = formatShares(cells.map(Number));
  return cells.map((cell, at) => (cell === null ? MISSING : shares[at]!));
}

function formatCell(value: NumbersCell, unit: Exclude<ColumnUnit, 'share'>, clock: Clock): string {
  if (value === null) return MISSING;
  if (typeof value === 'bigint') return clock.short(value as Time);
  if (typeof value === 'string') return value;
  return unit === 'plain' || unit === 'text' || unit === 'time'
    ? formatExact(value)
    : formatValue(value, unit);
}
