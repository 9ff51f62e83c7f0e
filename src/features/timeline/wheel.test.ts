import { expect, it } from 'vitest';

import { asTime } from '../../base/time';
import { shifted, zoomed } from './wheel';

const range = (from: bigint, to: bigint) => ({ from: asTime(from), to: asTime(to) });
const whole = range(0n, 1_000_000n);

it('zooms in around the pointer, whose time stays where it is', () => {
  const found = zoomed(whole, asTime(250_000n), -100, whole)!;
  expect(found).toEqual(range(50_000n, 850_000n));
  expect(Number(250_000n - found.from) / Number(found.to - found.from)).toBeCloseTo(0.25);
});

it('zooms out to the full range and no further', () => {
  expect(zoomed(range(100n, 900_000n), asTime(500_000n), 500, whole)).toBeNull();
  expect(zoomed(range(0n, 400_000n), asTime(0n), 100, whole)).toEqual(range(0n, 500_000n));
});

it('does not zoom below the finest range', () => {
  const found = zoomed(range(0n, 2_000n), asTime(1_000n), -10_000, whole)!;
  expect(found.to - found.from).toBe(1_000n);
});

it('shifts and stops at the ends', () => {
  expect(shifted(range(100n, 300n), 0.5, whole)).toEqual(range(200n, 400n));
  expect(shifted(range(100n, 300n), -5, whole)).toEqual(range(0n, 200n));
  expect(shifted(range(999_000n, 999_900n), 5, whole)).toEqual(range(999_100n, 1_000_000n));
});
