import { expect, it } from 'vitest';

import { bytesBefore, cutAtBytes, unitsBefore } from './span';

it('finds the place behind letters of several bytes', () => {
  expect(cutAtBytes('größe:🌲 (', [13, 14])).toEqual({
    before: 'größe:🌲 ',
    inside: '(',
    after: '',
  });
});

it('copes with a range past the end and with one of no width', () => {
  expect(cutAtBytes('abc', [3, 9])).toEqual({ before: 'abc', inside: '', after: '' });
  expect(cutAtBytes('abc', [1, 1])).toEqual({ before: 'a', inside: '', after: 'bc' });
});

it('counts in bytes and in units, there and back', () => {
  const text = 'größe:🌲 (';
  expect(bytesBefore(text, text.indexOf('('))).toBe(13);
  expect(unitsBefore(text)(13)).toBe(text.indexOf('('));
  expect(unitsBefore(text)(99)).toBe(text.length);
});
