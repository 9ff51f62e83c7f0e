/**
 * The parts of a line that match a simple filter.
 *
 * Only a visual aid: the engine alone decides what matches. Words, phrases and `*substrings*` of
 * the filter are marked; fields, ranges and excluded words are not.
 */
export interface HighlightedPart {
  readonly text: string;
  readonly marked: boolean;
}

const TOKEN = /(-|NOT\s+)?(?:"((?:[^"\\]|\\.)*)"|([^\s()"]+))/g;

/** A fuzzy term of the language, such as `timout~` or `timout~2`. */
const FUZZY = /^([\p{L}\p{M}_]+)~([12]?)$/u;

/** Runs of token characters, without digits, which fuzzy terms ignore. */
const WORDS = /[\w\u{80}-\u{10ffff}]+/gu;

/** No row shows longer words whole, and browsers refuse expressions of 100 kB. */
const LONGEST_LETTERS = 1_000;

/** The lower-case texts to highlight, longest first so that a longer word wins over its part. */
export function filterWords(query: string): string[] {
  const words = new Set<string>();
  for (const [, negation, phrase, word] of query.matchAll(TOKEN)) {
    if (negation !== undefined) continue;
    if (phrase !== undefined) words.add(phrase.replace(/\\(.)/g, '$1').toLowerCase());
    else if (word !== undefined && isPlain(word)) words.add(word.replaceAll('*', '').toLowerCase());
  }
  words.delete('');
  const short = [...words].filter((word) => word.length <= LONGEST_LETTERS);
  return short.sort((a, b) => b.length - a.length);
}

function isPlain(word: string): boolean {
  if (/^(AND|OR|NOT|TO)$/.test(word) || /[:<>=[\]|]/.test(word)) return false;
  // `ab*cd` matches varying text, which cannot be marked as one text.
  return !/[*?]/.test(word.replace(/^\*|\*$/g, ''));
}

/** Browsers refuse much larger patterns. */
const MOST_CHARACTERS = 10_000;

/** The words that one pattern can hold. */
function fitting(words: readonly string[]): string[] {
  let rest = MOST_CHARACTERS;
  return words.filter((word) => {
    const fits = word.length <= rest;
    if (fits) rest -= word.length;
    return fits;
  });
}

export function highlight(text: string, words: readonly string[]): HighlightedPart[] {
  const texts = fitting(words).flatMap((word) =>
    FUZZY.test(word) ? similar(word, text) : [escapePattern(word)],
  );
  if (texts.length === 0) return [{ text, marked: false }];
  const pattern = new RegExp(texts.join('|'), 'giu');
  const pieces: HighlightedPart[] = [];
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

/** Patterns of the words in a text that match a fuzzy term. */
function similar(fuzzy: string, text: string): string[] {
  const [, word = '', edits = ''] = FUZZY.exec(fuzzy) ?? [];
  const most = edits === '2' ? 2 : 1;
  const found = text.match(WORDS) ?? [];
  const are = found.filter((one) => !/\d/.test(one) && isWithin(word, one.toLowerCase(), most));
  const ends = ['(?<![\\w\\u{80}-\\u{10ffff}])', '(?![\\w\\u{80}-\\u{10ffff}])'] as const;
  return [...new Set(are)].map((one) => ends[0] + escapePattern(one) + ends[1]);
}

/** Whether the edit distance of two words is within a limit; a transposition is one edit. */
function isWithin(from: string, to: string, edits: number): boolean {
  let same = 0;
  while (same < from.length && from[same] === to[same]) same += 1;
  const [one, other] = [from.slice(same), to.slice(same)];
  if (one === '' || other === '') return one.length + other.length <= edits;
  if (edits === 0) return false;
  const isSwapped = one[0] === other[1] && one[1] === other[0];
  return (
    isWithin(one.slice(1), other, edits - 1) ||
    isWithin(one, other.slice(1), edits - 1) ||
    isWithin(one.slice(1), other.slice(1), edits - 1) ||
    (isSwapped && isWithin(one.slice(2), other.slice(2), edits - 1))
  );
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
