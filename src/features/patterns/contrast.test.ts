import { expect, it } from 'vitest';

import { asTime } from '../../base/time';
import type { Pattern } from '../../ipc/generated';
import { compared, contrasting } from './contrast';

const whole = { from: asTime(0n), to: asTime(1_000n) };
const range = { from: asTime(0n), to: asTime(100n) };
const pattern = (id: string, count: number, elsewhere: number | null) =>
  ({ id, count, elsewhere }) as Pattern;

it('normalises counts by the length of the range and of the rest', () => {
  // Equal rates: 10 in a tenth of the time, 90 in the rest.
  expect(compared(pattern('a', 10, 90), range, whole)).toMatchObject({ found: 'same', ratio: 1 });
  expect(compared(pattern('b', 40, 90), range, whole)).toMatchObject({ found: 'more', ratio: 4 });
  expect(compared(pattern('c', 5, 90), range, whole)).toMatchObject({ found: 'fewer', ratio: 0.5 });
  expect(compared(pattern('d', 1, 0), range, whole).found).toBe('new');
  expect(compared(pattern('e', 0, 7), range, whole).found).toBe('gone');
  expect(compared(pattern('f', 3, null), range, whole).found).toBe('same');
});

it('lists the greatest differences first', () => {
  const all = [
    pattern('a', 20, 90),
    pattern('b', 80, 90),
    pattern('c', 0, 3),
    pattern('d', 0, 9),
  ].map((each) => compared(each, range, whole));
  const ids = (contrast: Parameters<typeof contrasting>[1]) =>
    contrasting(all, contrast).map((each) => each.pattern.id);
  expect(ids('more')).toEqual(['b', 'a']);
  expect(ids('gone')).toEqual(['d', 'c']);
  expect(ids('new')).toEqual([]);
  expect(ids('all')).toEqual(['a', 'b', 'c', 'd']);
});

it('handles a range that covers all of the time', () => {
  expect(compared(pattern('a', 5, 1), whole, whole).found).toBe('fewer');
});
