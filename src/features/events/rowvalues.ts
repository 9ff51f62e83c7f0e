/** Which value of the event list is at a point, or chosen by keys. */
import { letterAt, textRange } from '../../base/textplace';
import { timeFromNanos } from '../../base/time';
import type { Row } from '../../ipc/generated';
import { MESSAGE, TEXT } from '../../state/events/columns';
import { valueAt } from '../../state/values/eventvalue';
import { sentValue, wholeValue } from '../../state/values/sentvalue';
import type { SeenValue } from '../../state/values/valueactions';
import type { OpenCase } from '../../state/workbench/opencase.svelte';
import { contentOf, type FindValue, type FoundValue, type Point } from '../values/seenvalues';

/** `current` is the cell that keys have chosen in the selected row. */
export function rowValues(opened: OpenCase, current: () => string): FindValue {
  return (target, point) => {
    const element =
      point === null
        ? document.getElementById(`row-${opened.detail.index}`)
        : target.closest('[data-index]');
    const cell =
      point === null
        ? element?.querySelector(`[data-field="${CSS.escape(current())}"]`)
        : target.closest('[data-field]');
    const field = cell?.getAttribute('data-field') ?? null;
    const row = opened.rows.at(Number(element?.getAttribute('data-index') ?? -1));
    if (!cell || field === null || row === undefined) return null;
    if (field === TEXT && point !== null) return inText(opened, cell, row, point);
    const seen = ofColumn(opened, row, field);
    if (seen === null) return null;
    if (seen.isBeginning === true) return inWhole(opened, cell, row, seen);
    return { seen, element: cell, range: contentOf(cell) };
  };
}

function ofColumn({ rows, clock }: OpenCase, row: Row, field: string): SeenValue | null {
  if (field === 'time') {
    return row.time === null ? null : { field, value: clock.full(timeFromNanos(row.time)) };
  }
  if (field === 'level') return { field, value: row.level };
  if (field === 'source') return { field, value: row.sourceName };
  if (field === TEXT) {
    const message = rows.value(row, MESSAGE) ?? null;
    return message === null
      ? { field: null, value: row.text, isCalculated: row.cut }
      : sentValue(MESSAGE, message);
  }
  const value = rows.value(row, field);
  return value === undefined ? null : sentValue(field, value);
}

/** The whole of a value whose beginning came with the row. */
async function inWhole(
  opened: OpenCase,
  cell: Element,
  row: Row,
  seen: SeenValue,
): Promise<FoundValue | null> {
  const text = cell.textContent;
  const whole = wholeValue(seen, await opened.eventValues.of(row.id));
  // The row may show another event since.
  if (cell.textContent !== text) return null;
  return { seen: whole, element: cell, range: contentOf(cell) };
}

/** Text that was selected with the mouse, or the value or word under the pointer. */
async function inText(
  opened: OpenCase,
  cell: Element,
  row: Row,
  point: Point,
): Promise<FoundValue | null> {
  const chosen = getSelection();
  if (chosen !== null && !chosen.isCollapsed && cell.contains(chosen.anchorNode)) {
    const range = chosen.getRangeAt(0).cloneRange();
    return { seen: { field: null, value: chosen.toString().trim() }, element: cell, range };
  }
  const at = letterAt(cell, point);
  if (at === null) return null;
  const text = cell.textContent ?? '';
  const event = await opened.eventValues.of(row.id);
  // The row may show another event since.
  if (cell.textContent !== text) return null;
  const found = valueAt(text, at, event);
  if (found === null) return null;
  return { seen: found, element: cell, range: textRange(cell, found.from, found.to) };
}
