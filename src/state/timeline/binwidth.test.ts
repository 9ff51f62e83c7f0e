import { expect, it } from 'vitest';

import { asTime, HOUR, MINUTE, SECOND } from '../../base/time';
import { binsOf, chartWidth, offeredWidths } from './binwidth';

const hours = (count: bigint) => ({ from: asTime(0n), to: asTime(count * HOUR) });

it('offers widths that suit the range', () => {
  const offered = offeredWidths(hours(2n));
  expect(offered[0]).toBe(10n * SECOND);
  expect(offered.at(-1)).toBe(HOUR);
});

it('asks for as many bins as the width needs', () => {
  expect(binsOf(String(5n * MINUTE), hours(2n), 200)).toBe(26);
  expect(binsOf(null, hours(2n), 200)).toBe(200);
  // After zooming out there would be too many, after zooming in none.
  expect(binsOf(String(SECOND), hours(24n), 200)).toBe(200);
  expect(binsOf(String(7n * 24n * HOUR), hours(2n), 200)).toBe(200);
});

it('gives a chart the bins of the timeline, or multiples of them where it is narrow', () => {
  expect(chartWidth(MINUTE, 120, 1200, 3)).toBe(MINUTE);
  expect(chartWidth(MINUTE, 120, 200, 3)).toBe(2n * MINUTE);
});
