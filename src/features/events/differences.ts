/** The differences of two events, field by field. */
import type { EventDetail } from '../../ipc/generated';
import { columnText, writtenTime } from '../../state/events/copyevents';

export interface Difference {
  readonly field: string;
  /** Null if an event does not have the field. */
  readonly one: string | null;
  readonly other: string | null;
}

/** Every field of either event: those of the first in its order, then those that only the second has. */
export function allFields(one: EventDetail, other: EventDetail): Difference[] {
  const built = ['time', 'level', 'source', 'line'].map((field) => ({
    field,
    one: builtIn(one, field),
    other: builtIn(other, field),
  }));
  const names = new Set([...one.fields, ...other.fields].map(({ name }) => name));
  const value = (event: EventDetail, name: string) =>
    event.fields.find((field) => field.name === name)?.value ?? null;
  const own = [...names].map((field) => ({
    field,
    one: value(one, field),
    other: value(other, field),
  }));
  return [...built, ...own];
}

function builtIn(event: EventDetail, field: string): string | null {
  if (field === 'time') return event.row.time === null ? null : writtenTime(event.row.time);
  const text = columnText(event, field);
  return text === '' ? null : text;
}

/** Splits two texts into their common beginning, their difference and their common end. */
export function splitDifference(
  one: string,
  other: string,
): { before: string; one: string; other: string; after: string } {
  const [a, b] = [[...one], [...other]];
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < most - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  return {
    before: a.slice(0, head).join(''),
    one: a.slice(head, a.length - tail).join(''),
    other: b.slice(head, b.length - tail).join(''),
    after: a.slice(a.length - tail).join(''),
  };
}
