/** An event's text in parts that a person can tell apart: its fields, its line ends, what is not seen. */
import { UNSEEN, visibleLines } from '../../base/visible';
import type { Piece } from '../../ipc/generated';

/** As many colours as can be told apart; fields after them begin again. */
export const TINTS = 6;

export interface RawPart {
  readonly text: string;
  readonly field: string | null;
  /** A colour of its own for each field. */
  readonly tint: number | null;
  /** Signs that stand for what is not seen. */
  readonly isSign: boolean;
}

/** Text drawn at once. An event of a megabyte in ten thousand parts stops any screen. */
export const SHOWN_LETTERS = 100_000;

/** The first part of the text, at most so many letters of it. */
export function rawParts(pieces: readonly Piece[], most = SHOWN_LETTERS): RawPart[] {
  const fields = [...new Set(pieces.flatMap(({ field }) => (field === null ? [] : [field])))];
  const parts: RawPart[] = [];
  let left = most;
  for (const { text, field } of pieces) {
    if (left <= 0) break;
    const tint = field === null ? null : fields.indexOf(field) % TINTS;
    const part = text.slice(0, left);
    left -= part.length;
    for (const piece of split(part)) parts.push({ ...piece, field, tint });
  }
  return parts;
}

/** Signs apart from letters; a line end keeps its place at the end of its line. */
function split(text: string): { text: string; isSign: boolean }[] {
  const parts: { text: string; isSign: boolean }[] = [];
  let end = 0;
  for (const found of text.matchAll(UNSEEN)) {
    if (found.index > end) parts.push({ text: text.slice(end, found.index), isSign: false });
    end = found.index + found[0].length;
    parts.push({ text: visibleLines(found[0]), isSign: true });
  }
  if (end < text.length) parts.push({ text: text.slice(end), isSign: false });
  return parts;
}

/** Rows of a hex dump: where, the bytes, and what of them can be read. */
export function hexRows(hex: string): { at: string; bytes: string; letters: string }[] {
  const rows = [];
  for (let start = 0; start < hex.length; start += 32) {
    const bytes = hex.slice(start, start + 32).match(/../g) ?? [];
    const letter = (byte: string) => {
      const code = Number.parseInt(byte, 16);
      return code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : '.';
    };
    rows.push({
      at: (start / 2).toString(16).padStart(4, '0'),
      bytes: bytes.map((byte, at) => (at === 8 ? ` ${byte}` : byte)).join(' '),
      letters: bytes.map(letter).join(''),
    });
  }
  return rows;
}
