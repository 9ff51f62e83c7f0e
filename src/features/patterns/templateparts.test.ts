import { expect, it } from 'vitest';

import { longestWords, parts, sparkPath } from './templateparts';

it('separates variable parts from constant ones', () => {
  expect(parts('user <num> signed in from <ip>:<*>')).toEqual([
    { text: 'user ', varies: false },
    { text: '<num>', varies: true },
    { text: ' signed in from ', varies: false },
    { text: '<ip>', varies: true },
    { text: ':', varies: false },
    { text: '<*>', varies: true },
  ]);
  expect(parts('a < b and c > d')).toEqual([{ text: 'a < b and c > d', varies: false }]);
});

it('finds the longest words that all events of a template have', () => {
  expect(longestWords('user <num> signed in from <ip>:<*>')).toBe('signed in from');
  expect(longestWords('<num>: <*>')).toBe('');
});

it('draws every bucket that has an event, however few', () => {
  const path = sparkPath([0, 1, 10_000]);
  expect(path.match(/M/g)).toHaveLength(2);
  expect(path).toContain('M1 1v-0.080');
  expect(path).toContain('M2 1v-1.000');
  expect(sparkPath([])).toBe('');
});
