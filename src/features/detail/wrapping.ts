/** A name or path is broken after its signs, and not within its words. */

/** The text that is searched for places to break; no panel shows more of it at once. */
const MOST_LETTERS = 20_000;
const SIGNS = /[\p{L}\p{N}][./\\,;:&=?_@|+)\]}-]+(?=[^\s./\\,;:&=?_@|+)\]}-])/gu;

/** The pieces of a text between which it may wrap, also where it has no space. */
export function wrapped(text: string): string[] {
  const ends = [...text.slice(0, MOST_LETTERS).matchAll(SIGNS)].map(
    (found) => found.index + found[0].length,
  );
  return [0, ...ends].map((start, at) => text.slice(start, ends[at]));
}
