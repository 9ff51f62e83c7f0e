/** Dragging a column to another position, and its edge to another width, without the DOM. */

/** A press that moves less is a click. */
const DRAG_FROM_PX = 5;

export interface ColumnDrag {
  readonly field: string;
  readonly startX: number;
  /** The target position of the column; null while the press can still be a click. */
  readonly to: number | null;
}

export interface EdgePull {
  readonly field: string;
  readonly startX: number;
  readonly startPx: number;
}

/** The column under the pointer, from the right edges of all; beyond the last it is the last. */
export function placeAt(x: number, rights: readonly number[]): number {
  const place = rights.findIndex((right) => x < right);
  return place < 0 ? rights.length - 1 : place;
}

export function dragged(drag: ColumnDrag, x: number, rights: readonly number[]): ColumnDrag {
  if (drag.to === null && Math.abs(x - drag.startX) < DRAG_FROM_PX) return drag;
  return { ...drag, to: placeAt(x, rights) };
}

export function pulledPx({ startX, startPx }: EdgePull, x: number): number {
  return startPx + x - startX;
}
