/** An event's text split into visible parts: its fields, its line ends, invisible characters. */
import { UNSEEN, visibleLines } from '../../base/visible';
import type { Piece } from '../../ipc/generated';

/** As many colours as are distinguishable; further fields reuse them. */
export const TINTS = 6;

export interface RawPart {
  readonly text: string;
  readonly field: string | null;
  /** A colour for each field. */
  readonly tint: number | null;
  /** Symbols that replace invisible characters. */
  readonly isSign: boolean;
}

/** The length of text drawn at once. A megabyte in ten thousand parts would block any screen. */
export const SHOWN_LETTERS = 100_000;

/** The beginning of the text, up to a number of letters. */
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

/** Separates symbols from letters; a line end stays at the end of its line. */
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

/** Rows of a hex dump: offset, bytes, and their printable characters. */
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
