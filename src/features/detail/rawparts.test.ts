import { expect, it } from 'vitest';

import { hexRows, rawParts } from './rawparts';

it('separates fields, letters and symbols', () => {
  const parts = rawParts([
    { text: 'GET ', field: null },
    { text: '/a', field: 'path' },
    { text: '\u0000\u202e\r\n\tat', field: null },
    { text: '200', field: 'status' },
  ]);
  expect(parts.map(({ text, field, tint, isSign }) => [text, field, tint, isSign])).toEqual([
    ['GET ', null, null, false],
    ['/a', 'path', 0, false],
    ['␀‹U+202E›␍⏎\n⇥', null, null, true],
    ['at', null, null, false],
    ['200', 'status', 1, false],
  ]);
});

it('draws no more of a long event than is read', () => {
  const parts = rawParts([{ text: 'x'.repeat(1 << 20), field: null }], 1000);
  expect(parts.map(({ text }) => text.length)).toEqual([1000]);
});

it('dumps bytes in rows of sixteen', () => {
  expect(hexRows('')).toEqual([]);
  expect(hexRows(`${'41'.repeat(16)}00ff`)).toEqual([
    {
      at: '0000',
      bytes: '41 41 41 41 41 41 41 41  41 41 41 41 41 41 41 41',
      letters: 'A'.repeat(16),
    },
    { at: '0010', bytes: '00 ff', letters: '..' },
  ]);
});
