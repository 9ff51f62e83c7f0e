import { expect, it } from 'vitest';

import { coloursOf } from './valuecolours';

const hues = (values: readonly string[]) =>
  coloursOf('path', values).map((colour) => (typeof colour === 'number' ? colour % 10 : colour));

const PATHS = Array.from({ length: 40 }, (_, at) => `/p${at}`);

it('gives a value the same hue whatever is seen with it, and in any order', () => {
  const alone = PATHS.map((path) => hues([path])[0]);
  expect(hues(PATHS)).toEqual(alone);
  expect(hues(PATHS.toReversed())).toEqual(alone.toReversed());
});

it('gives the same values the same colours in any order', () => {
  const some = PATHS.slice(0, 7);
  expect(coloursOf('path', some.toReversed())).toEqual(coloursOf('path', some).toReversed());
});

it('gives values of one hue different shades', () => {
  const first = hues(PATHS)[0];
  const alike = PATHS.filter((path) => hues([path])[0] === first).slice(0, 3);
  expect(alike).toHaveLength(3);
  expect(new Set(coloursOf('path', alike)).size).toBe(3);
  expect(coloursOf('path', alike)[0]).toBeLessThan(10);
});

it('gives levels the colours of levels', () => {
  expect(coloursOf('level', ['error', 'odd'])).toEqual(['error', expect.any(Number)]);
  expect(coloursOf('service', ['error'])).not.toEqual(['error']);
});
