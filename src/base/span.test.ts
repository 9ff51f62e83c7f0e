import { expect, it } from 'vitest';

import { bytesBefore, cutAtBytes, unitsBefore } from './span';

it('converts offsets after multi-byte characters', () => {
  expect(cutAtBytes('größe:🌲 (', [13, 14])).toEqual({
    before: 'größe:🌲 ',
    inside: '(',
    after: '',
  });
});

it('handles a range past the end and an empty range', () => {
  expect(cutAtBytes('abc', [3, 9])).toEqual({ before: 'abc', inside: '', after: '' });
  expect(cutAtBytes('abc', [1, 1])).toEqual({ before: 'a', inside: '', after: 'bc' });
});

it('converts bytes to units and back', () => {
  const text = 'größe:🌲 (';
  expect(bytesBefore(text, text.indexOf('('))).toBe(13);
  expect(unitsBefore(text)(13)).toBe(text.indexOf('('));
  expect(unitsBefore(text)(99)).toBe(text.length);
});
