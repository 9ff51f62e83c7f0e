import { expect, it } from 'vitest';

import type { PreviewRow } from '../../ipc/generated';
import { COLOURS, fieldColours, plainLines } from './fieldcolours';

const row = (...pieces: [string, string | null][]): PreviewRow => ({
  line: 1,
  time: null,
  level: 'none',
  pieces: pieces.map(([text, field]) => ({ text, field })),
});

it('gives a field one colour, in the order of fields in the lines', () => {
  const rows = [row(['1', 'a'], [' ', null], ['2', 'b']), row(['3', 'c'], ['4', 'a'])];
  expect([...fieldColours(rows)]).toEqual([
    ['a', 0],
    ['b', 1],
    ['c', 2],
  ]);
  const many = Array.from({ length: 20 }, (_, at) => row(['x', `f${at}`]));
  expect(Math.max(...fieldColours(many).values())).toBe(COLOURS - 1);
});

it('returns the lines unchanged', () => {
  expect(plainLines([row(['a=', null], ['1', 'a']), row(['b', null])])).toBe('a=1\nb\n');
});
