import { expect, it } from 'vitest';

import { asTime } from '../base/time';
import { RangeHistory } from './ranges';

const range = (from: bigint, to: bigint) => ({ from: asTime(from), to: asTime(to) });

it('goes back out step by step to all of the time', () => {
  const history = new RangeHistory();
  history.go(range(0n, 100n));
  history.go(range(10n, 20n));
  expect(history.back()).toBe(true);
  expect(history.current).toEqual(range(0n, 100n));
  expect(history.back()).toBe(true);
  expect(history.current).toBeNull();
  expect(history.back()).toBe(false);
  expect(history.canBack).toBe(false);
});

it('can take back that the range was cleared', () => {
  const history = new RangeHistory();
  history.go(range(0n, 100n));
  history.go(null);
  history.back();
  expect(history.current).toEqual(range(0n, 100n));
});

it('makes no step for the range already shown', () => {
  const history = new RangeHistory();
  expect(history.go(null)).toBe(false);
  history.go(range(0n, 100n));
  expect(history.go(range(0n, 100n))).toBe(false);
  history.back();
  expect(history.canBack).toBe(false);
});
