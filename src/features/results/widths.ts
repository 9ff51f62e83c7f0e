import type { Clock } from '../../base/zone';
import type { TableCell, TableColumn } from '../../ipc/generated';
import { cellText } from '../../state/results/tabletext';

const LETTER_PX = 7.4;
/** At both sides, and for the sign of the order beside a name. */
const PADDING_PX = 42;
const NARROWEST_PX = 72;
const WIDEST_PX = 460;
/** Rows that a width is taken from; later ones are cut where they are longer. */
const MEASURED_ROWS = 200;

/** As wide as what stands in a column, within reason. */
export function columnWidths(
  columns: readonly TableColumn[],
  rows: readonly (readonly TableCell[])[],
  clock: Clock,
  scale: number,
): number[] {
  const measured = rows.slice(0, MEASURED_ROWS);
  return columns.map((column, at) => {
    const letters = measured.reduce(
      (most, row) => Math.max(most, cellText(row[at] ?? null, column, clock).length),
      column.name.length + (column.kind === 'time' ? clock.label(null).length + 3 : 0),
    );
    const px = letters * LETTER_PX + PADDING_PX;
    return Math.round(Math.min(Math.max(px, NARROWEST_PX), WIDEST_PX) * scale);
  });
}
