import { expect, it } from 'vitest';

import { cutAtBytes } from './span';

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
