import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { Coalesced } from './coalesce';
import { Lifetime } from './lifetime';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('runs immediately, then at most once per interval, and never misses the last request', () => {
  const action = vi.fn();
  const coalesced = new Coalesced(new Lifetime(), action, 250);
  for (let ms = 0; ms < 900; ms += 10) {
    coalesced.request();
    vi.advanceTimersByTime(10);
  }
  expect(action).toHaveBeenCalledTimes(4);
  vi.advanceTimersByTime(1000);
  expect(action).toHaveBeenCalledTimes(5);
  vi.advanceTimersByTime(1000);
  expect(action).toHaveBeenCalledTimes(5);
});

it('does nothing after stop', () => {
  const action = vi.fn();
  const coalesced = new Coalesced(new Lifetime(), action, 250);
  coalesced.request();
  coalesced.request();
  coalesced.stop();
  vi.advanceTimersByTime(1000);
  expect(action).toHaveBeenCalledTimes(1);
});
