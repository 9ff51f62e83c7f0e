/** The value in the text of an event at a position: of a field if one is there, otherwise a word. */
import { visibleLine } from '../../base/visible';
import type { EventDetail } from '../../ipc/generated';
import { MESSAGE } from '../events/columns';
import type { SeenValue } from './valueactions';

/** A value, and where it begins and ends in the text that is displayed. */
export interface PlacedValue extends SeenValue {
  readonly from: number;
  readonly to: number;
}

/** Longer values are messages, in which people mean a word. */
const LONGEST_WHOLE = 120;
/** Signs for control characters count as gaps between words. */
const GAP = /[\s"'`,;()[\]{}<>|=‹›\u2400-\u2421⏎⇥…]/;

/** The word around a position; null between words. */
export function wordAt(text: string, at: number): PlacedValue | null {
  let [from, to] = [at, at];
  while (from > 0 && !GAP.test(text[from - 1]!)) from -= 1;
  while (to < text.length && !GAP.test(text[to]!)) to += 1;
  const word = text.slice(from, to);
  const start = /^[:]+/.exec(word)?.[0].length ?? 0;
  const value = word.slice(start).replace(/[.:!?]+$/, '');
  if (!/[\p{L}\p{N}]/u.test(value)) return null;
  return { field: null, value, from: from + start, to: from + start + value.length };
}

/** The value at a position of a displayed text, given the event; null between words. */
export function valueAt(text: string, at: number, event: EventDetail | null): PlacedValue | null {
  const word = wordAt(text, at);
  if (event === null) return word;
  return pieceAt(text, at, event) ?? (word === null ? null : (fieldOf(text, word, event) ?? word));
}

/** The value of a field where the text is displayed as it was written. */
function pieceAt(text: string, at: number, { pieces, fields }: EventDetail): PlacedValue | null {
  let from = 0;
  for (const piece of pieces) {
    const shown = visibleLine(piece.text);
    const to = from + shown.length;
    if (!text.startsWith(shown, from)) return null;
    if (at < to) {
      const isWhole =
        piece.field !== null && piece.field !== MESSAGE && shown.length <= LONGEST_WHOLE;
      const field = isWhole ? fields.find(({ name }) => name === piece.field) : undefined;
      return field === undefined ? null : { field: field.name, value: field.value, from, to };
    }
    from = to;
  }
  return null;
}

/** The word as the value of the field that is named before it, or of the only one that has this value. */
function fieldOf(text: string, word: PlacedValue, { fields }: EventDetail): PlacedValue | null {
  const having = fields.filter(({ value }) => visibleLine(value) === word.value);
  const before = text.slice(0, word.from);
  const named = having.find(
    ({ name }) => /["']?\s*[:=]\s*["']?$/.test(before.slice(-4)) && nameEnds(before, name),
  );
  const field = named ?? (having.length === 1 ? having[0] : undefined);
  return field === undefined ? null : { ...word, field: field.name, value: field.value };
}

function nameEnds(before: string, name: string): boolean {
  const written = before.replace(/["']?\s*[:=]\s*["']?$/, '');
  return written.endsWith(name.split('.').at(-1)!);
}
