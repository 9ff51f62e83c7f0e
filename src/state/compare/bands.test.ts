import { expect, it } from 'vitest';

import { parseTime, type TimeRange } from '../../base/time';
import { bandsOfSides } from './bands';
import { ALL } from './sides';

const range = (from: string, to: string): TimeRange => ({
  from: parseTime(`2026-03-01T${from}`)!,
  to: parseTime(`2026-03-01T${to}`)!,
});
const shown = range('14:00', '15:00');

it('draws a range, and all times but a range on both sides of it', () => {
  const window = range('14:20', '14:30');
  const sides = {
    a: { ...ALL, range: window, isOutside: true },
    b: { ...ALL, range: window },
  };
  expect(bandsOfSides(sides, shown)).toEqual([
    { name: 'a', range: range('14:00', '14:20') },
    { name: 'a', range: range('14:30', '15:00') },
    { name: 'b', range: window },
  ]);
});

it('cuts a side at the times that are shown, and draws none that is not among them', () => {
  const sides = {
    a: { ...ALL, range: range('12:00', '13:00') },
    b: { ...ALL, range: range('14:50', '16:00') },
  };
  expect(bandsOfSides(sides, shown)).toEqual([{ name: 'b', range: range('14:50', '15:00') }]);
});

it('draws all of the time without a range, and no side of another case', () => {
  expect(bandsOfSides({ a: { ...ALL, elsewhere: 'other.case' }, b: ALL }, shown)).toEqual([
    { name: 'b', range: shown },
  ]);
});
