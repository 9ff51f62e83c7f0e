import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { Coalesced } from './coalesce';
import { Latest } from './latest';
import { Lifetime } from './lifetime';
import { Timer } from './timer';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('ends what was registered once, the latest first', () => {
  const ended: string[] = [];
  const lifetime = new Lifetime();
  lifetime.onEnd(() => void ended.push('first'));
  const forget = lifetime.onEnd(() => void ended.push('forgotten'));
  lifetime.onEnd(() => void ended.push('last'));
  forget();
  lifetime.end();
  lifetime.end();
  expect(ended).toEqual(['last', 'first']);
  lifetime.onEnd(() => void ended.push('late'));
  expect(ended.at(-1)).toBe('late');
});

it('ends children with it, and forgets a child that ended before', () => {
  const parent = new Lifetime();
  const [early, late] = [parent.child(), parent.child()];
  const ended = vi.fn();
  early.onEnd(ended);
  early.end();
  parent.end();
  expect([early.isOver, late.isOver]).toEqual([true, true]);
  expect(ended).toHaveBeenCalledTimes(1);
});

it('aborts running work, stops timers, and lets nothing start afterwards', async () => {
  const lifetime = new Lifetime();
  const signals: AbortSignal[] = [];
  const delivered = vi.fn();
  const task = (key: string) => ({
    key,
    load: (signal: AbortSignal) => {
      signals.push(signal);
      return Promise.resolve(key);
    },
    done: delivered,
    failed: delivered,
  });
  const latest = new Latest<string>(lifetime);
  const timer = new Timer(lifetime);
  const coalesced = new Coalesced(lifetime, delivered, 100);
  latest.replace(task('running'));
  timer.start(delivered, 100);
  lifetime.end();
  latest.replace(task('too late'));
  latest.follow(task('too late'));
  timer.start(delivered, 100);
  coalesced.request();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  expect(delivered).not.toHaveBeenCalled();
});
