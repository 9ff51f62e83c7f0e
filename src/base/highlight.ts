/**
 * Which parts of a line a simple filter is about.
 *
 * Only a courtesy for the eye: the engine alone decides what matches. Words, phrases and
 * `*substrings*` of the filter are marked; fields, ranges and excluded words are not.
 */
export interface Piece {
  readonly text: string;
  readonly marked: boolean;
}

const TOKEN = /(-|NOT\s+)?(?:"((?:[^"\\]|\\.)*)"|([^\s()"]+))/g;

/** The lower-case texts to look for, longest first so that a longer word wins over its part. */
export function filterWords(query: string): string[] {
  const words = new Set<string>();
  for (const [, negation, phrase, word] of query.matchAll(TOKEN)) {
    if (negation !== undefined) continue;
    if (phrase !== undefined) words.add(phrase.replace(/\\(.)/g, '$1').toLowerCase());
    else if (word !== undefined && isPlain(word)) words.add(word.replaceAll('*', '').toLowerCase());
  }
  words.delete('');
  return [...words].sort((a, b) => b.length - a.length);
}

function isPlain(word: string): boolean {
  if (/^(AND|OR|NOT|TO)$/.test(word) || /[:<>=[\]|]/.test(word)) return false;
  // `ab*cd` matches something between, which cannot be marked as one text.
  return !/[*?]/.test(word.replace(/^\*|\*$/g, ''));
}

export function highlight(text: string, words: readonly string[]): Piece[] {
  if (words.length === 0) return [{ text, marked: false }];
  const pattern = new RegExp(words.map(escapePattern).join('|'), 'gi');
  const pieces: Piece[] = [];
  let end = 0;
  for (const found of text.matchAll(pattern)) {
    if (found.index > end) pieces.push({ text: text.slice(end, found.index), marked: false });
    end = found.index + found[0].length;
    pieces.push({ text: found[0], marked: true });
  }
  if (end < text.length || pieces.length === 0)
    pieces.push({ text: text.slice(end), marked: false });
  return pieces;
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
