import type { EventDetail } from '../../ipc/generated';
import type { SeenValue } from './valueactions';

/** The engine sends this much of a value with a row, cut between two letters. */
const SENT_BYTES = 1_000;
const LONGEST_LETTER_BYTES = 4;
/** In place of the lines between the beginning of a stack trace and the one that names its cause. */
const LEFT_OUT = '\n…\n';

/** A value as it came with a row: the whole, or its beginning if the engine may have cut it. */
export function sentValue(field: string, value: string | null): SeenValue {
  if (value === null) return { field, value };
  const end = value.lastIndexOf(LEFT_OUT);
  if (end > 0) return { field, value: value.slice(0, end), isBeginning: true };
  const bytes = new TextEncoder().encode(value).length;
  const isBeginning = bytes > SENT_BYTES - LONGEST_LETTER_BYTES && bytes <= SENT_BYTES;
  return isBeginning ? { field, value, isBeginning } : { field, value };
}

/** The whole value, from its event; the beginning if the event is not known. */
export function wholeValue(seen: SeenValue, event: EventDetail | null): SeenValue {
  const found = event?.fields.find(({ name }) => name === seen.field);
  return found === undefined ? seen : { field: found.name, value: found.value };
}
