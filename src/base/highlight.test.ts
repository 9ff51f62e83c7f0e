import { expect, it } from 'vitest';

import { filterWords, highlight } from './highlight';

it.each([
  ['timeout', ['timeout']],
  ['Error AND "connection reset"', ['connection reset', 'error']],
  ['NOT debug -trace (GET OR post)', ['post', 'get']],
  ['status:500 level>=warn *abc* a*b', ['abc']],
  ['NOT "a phrase" "say \\"hi\\""', ['say "hi"']],
  ['', []],
])('highlights the terms of %j: %j', (query, words) => expect(filterWords(query)).toEqual(words));

it('a filter with a value of 100 kB marks its other words', () => {
  const words = filterWords(`body="${'x y'.repeat(34_000)}" AND ${'z'.repeat(100_000)} AND short`);
  expect(words).toEqual(['short']);
  expect(() => highlight('a short line', words)).not.toThrow();
});

it('marks every occurrence, ignoring case, and loses no character', () => {
  const pieces = highlight('GET /get (a.b) axb', ['a-b', 'get', 'a.b']);
  expect(pieces.filter((piece) => piece.marked).map((piece) => piece.text)).toEqual([
    'GET',
    'get',
    'a.b',
  ]);
  expect(pieces.map((piece) => piece.text).join('')).toBe('GET /get (a.b) axb');
});

it('marks the words that match a fuzzy term, as whole words', () => {
  const marked = (text: string, ...words: string[]): string[] =>
    highlight(text, words)
      .filter((piece) => piece.marked)
      .map((piece) => piece.text);
  expect(filterWords('timout~ AND größe~2')).toEqual(['timout~', 'größe~2']);
  expect(marked('Timeout timeouts tmiout time0ut', 'timout~')).toEqual(['Timeout', 'tmiout']);
  expect(marked('Timeout timeouts tmieotu', 'timout~2')).toEqual(['Timeout', 'timeouts']);
  expect(marked('größen Grobe größ', 'größe~')).toEqual(['größen', 'größ']);
});

it('returns a line without matches unchanged', () => {
  expect(highlight('nothing here', ['x1'])).toEqual([{ text: 'nothing here', marked: false }]);
  expect(highlight('', ['x'])).toEqual([{ text: '', marked: false }]);
});

it('marks the other words of a query whose words are too long for a pattern', () => {
  const words = filterWords(`checkout OR ${'x'.repeat(100_000)}`);
  expect(highlight('GET /checkout', words)).toEqual([
    { text: 'GET /', marked: false },
    { text: 'checkout', marked: true },
  ]);
});
