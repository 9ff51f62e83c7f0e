/** How wide the columns of the list are, and where pinned ones stay. */
import { texts } from '../../base/texts';
import { TEXT } from '../../state/events/columns';
import type { ViewColumn } from '../../state/view/viewstate';

/** Widths that fit the values of columns that every log has. */
const BEST_PX: Readonly<Record<string, number>> = { time: 184, level: 34, source: 156, line: 84 };
const FIELD_PX = 148;
/** The text takes what room is left, but never less than can be read. */
const LEAST_TEXT_PX = 280;

export interface ColumnLayout {
  /** For `grid-template-columns`. */
  readonly template: string;
  /** What all columns need; wider than the list is scrolled sideways. */
  readonly leastPx: number;
  /** Where each pinned column stays; null for those that scroll. */
  readonly leftPx: readonly (number | null)[];
}

/** `scale` is how much larger letters are than the widths were made for. A person's own width holds. */
export function widthOf({ field, widthPx }: ViewColumn, scale: number): number {
  if (widthPx !== null) return widthPx;
  const px = field === TEXT ? LEAST_TEXT_PX : (BEST_PX[field] ?? FIELD_PX);
  return Math.round(px * scale);
}

export function layoutOf(columns: readonly ViewColumn[], scale: number): ColumnLayout {
  let leastPx = 0;
  const leftPx: (number | null)[] = [];
  const tracks = columns.map((column, at) => {
    leftPx.push(column.pinned ? leastPx : null);
    const px = widthOf(column, scale);
    leastPx += px;
    const takesRest = column.widthPx === null && !column.pinned && column.field === TEXT;
    // Without a text, the last column takes what room is left.
    const isLast = at === columns.length - 1 && !columns.some(({ field }) => field === TEXT);
    return takesRest || isLast ? `minmax(${px}px, 1fr)` : `${px}px`;
  });
  return { template: tracks.join(' '), leastPx, leftPx };
}

export function columnName(field: string): string {
  return Object.hasOwn(texts.listing.column, field) ? texts.listing.column[field]! : field;
}
