import type { Clock } from '../../base/zone';
import type { TableCell, TableColumn } from '../../ipc/generated';

const LETTER_PX = 7.4;
/** Padding on both sides, and the sort arrow next to the name. */
const PADDING_PX = 42;
const NARROWEST_PX = 72;
const WIDEST_PX = 460;
/** Rows that determine a width; longer values in later rows are cut. */
const MEASURED_ROWS = 200;

/** How a table writes its heads and cells. */
interface Writing {
  readonly head: (column: TableColumn) => string;
  readonly cell: (row: readonly TableCell[], at: number) => string;
}

/** The width of a column's content, as it is written, within limits. */
export function columnWidths(
  columns: readonly TableColumn[],
  rows: readonly (readonly TableCell[])[],
  written: Writing,
  clock: Clock,
  scale: number,
): number[] {
  const measured = rows.slice(0, MEASURED_ROWS);
  return columns.map((column, at) => {
    const letters = measured.reduce(
      (most, row) => Math.max(most, written.cell(row, at).length),
      written.head(column).length + (column.kind === 'time' ? clock.label(null).length + 3 : 0),
    );
    const px = letters * LETTER_PX + PADDING_PX;
    return Math.round(Math.min(Math.max(px, NARROWEST_PX), WIDEST_PX) * scale);
  });
}
