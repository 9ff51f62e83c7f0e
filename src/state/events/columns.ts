/** The columns of the event list: the effect of clicks, drags and keys. */
import type { ViewColumn } from '../view/viewstate';

/** The event's text: the column that takes the remaining width. */
export const TEXT = 'raw';
/** The message of an event, shown first. */
export const MESSAGE = 'message';

/** The standard columns. They are the default, and then are not stored. */
export const STANDARD: readonly ViewColumn[] = ['time', 'level', 'source', TEXT].map((field) => ({
  field,
  widthPx: null,
  pinned: false,
}));

/** Narrower than this, not even a level is readable. */
const LEAST_PX = 24;
const MOST_PX = 2000;

export function shownColumns(columns: readonly ViewColumn[]): readonly ViewColumn[] {
  return columns.length === 0 ? STANDARD : columns;
}

/** The fields whose values are requested with each row. */
export function valueFields(columns: readonly ViewColumn[]): string[] {
  const always = STANDARD.map(({ field }) => field);
  const shown = shownColumns(columns).map(({ field }) => field);
  const wanted = shown.includes(TEXT) ? [...shown, MESSAGE] : shown;
  return [...new Set(wanted)].filter((field) => !always.includes(field));
}

/** Adds a column, before the text if that is the last one. */
export function withColumn(columns: readonly ViewColumn[], field: string): readonly ViewColumn[] {
  const shown = shownColumns(columns);
  if (shown.some((column) => column.field === field)) return columns;
  const last = shown.at(-1)?.field === TEXT ? shown.length - 1 : shown.length;
  return kept(shown.toSpliced(last, 0, { field, widthPx: null, pinned: false }));
}

/** The last column stays: a list without columns shows nothing. */
export function withoutColumn(
  columns: readonly ViewColumn[],
  field: string,
): readonly ViewColumn[] {
  const left = shownColumns(columns).filter((column) => column.field !== field);
  return left.length === 0 ? columns : kept(left);
}

/** Moves a column. Between pinned ones it becomes pinned, after them unpinned. */
export function movedColumn(
  columns: readonly ViewColumn[],
  field: string,
  to: number,
): readonly ViewColumn[] {
  const shown = shownColumns(columns);
  const from = shown.findIndex((column) => column.field === field);
  const place = Math.min(Math.max(to, 0), shown.length - 1);
  const moved = shown[from];
  if (moved === undefined || place === from) return columns;
  const pinned = place < shown.filter((column) => column.pinned).length;
  return kept(shown.toSpliced(from, 1).toSpliced(place, 0, { ...moved, pinned }));
}

/** Null means automatic width. */
export function resizedColumn(
  columns: readonly ViewColumn[],
  field: string,
  px: number | null,
): readonly ViewColumn[] {
  const widthPx = px === null ? null : Math.round(Math.min(Math.max(px, LEAST_PX), MOST_PX));
  return kept(
    shownColumns(columns).map((column) =>
      column.field === field ? { ...column, widthPx } : column,
    ),
  );
}

/** Pins a column and all before it, or unpins it and all after it. */
export function pinnedColumn(
  columns: readonly ViewColumn[],
  field: string,
  pinned: boolean,
): readonly ViewColumn[] {
  const shown = shownColumns(columns);
  const at = shown.findIndex((column) => column.field === field);
  return kept(
    shown.map((column, place) => {
      const changes = pinned ? place <= at : place >= at;
      return changes ? { ...column, pinned } : column;
    }),
  );
}

function kept(columns: readonly ViewColumn[]): readonly ViewColumn[] {
  return JSON.stringify(columns) === JSON.stringify(STANDARD) ? [] : columns;
}
