/** The widths of the list's columns, and the positions of pinned ones. */
import { texts } from '../../base/texts';
import { TEXT } from '../../state/events/columns';
import type { ViewColumn } from '../../state/view/viewstate';

/** Widths that fit the values of standard columns. */
const BEST_PX: Readonly<Record<string, number>> = { time: 184, level: 34, source: 156, line: 84 };
const FIELD_PX = 148;
/** The text takes the remaining width, and has room for 30 characters however it is resized. */
const LEAST_TEXT_PX = 280;

export interface ColumnLayout {
  /** For `grid-template-columns`. */
  readonly template: string;
  /** The width of all columns; if wider than the list, it scrolls sideways. */
  readonly leastPx: number;
  /** The position of each pinned column; null for those that scroll. */
  readonly leftPx: readonly (number | null)[];
}

/**
 * `scale` is the person's text size relative to the size that the widths were made for. A width set
 * by the person stays.
 */
export function widthOf({ field, widthPx }: ViewColumn, scale: number): number {
  if (widthPx !== null && field !== TEXT) return widthPx;
  if (widthPx !== null) return Math.max(widthPx, Math.round(LEAST_TEXT_PX * scale));
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
    // Without a text column, the last column takes the remaining width.
    const isLast = at === columns.length - 1 && !columns.some(({ field }) => field === TEXT);
    return takesRest || isLast ? `minmax(${px}px, 1fr)` : `${px}px`;
  });
  return { template: tracks.join(' '), leastPx, leftPx };
}

export function columnName(field: string): string {
  return Object.hasOwn(texts.listing.column, field) ? texts.listing.column[field]! : field;
}
