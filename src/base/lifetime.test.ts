import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { Coalesced } from './coalesce';
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

it('stops timers, and lets nothing start afterwards', async () => {
  const lifetime = new Lifetime();
  const delivered = vi.fn();
  const timer = new Timer(lifetime);
  const coalesced = new Coalesced(lifetime, delivered, 100);
  timer.start(delivered, 100);
  lifetime.end();
  timer.start(delivered, 100);
  coalesced.request();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(delivered).not.toHaveBeenCalled();
});

it('says that the data have grown to all of its children, until they end', () => {
  const lifetime = new Lifetime();
  const [child, other] = [lifetime.child(), lifetime.child()];
  const [first, second] = [vi.fn(), vi.fn()];
  child.child().onGrowth(first);
  other.onGrowth(second);
  other.grow();
  expect([lifetime.epoch, child.epoch]).toEqual([1, 1]);
  child.end();
  lifetime.grow();
  expect([first, second].map(({ mock }) => mock.calls.length)).toEqual([1, 2]);
  lifetime.end();
  lifetime.grow();
  expect([lifetime.epoch, second.mock.calls.length]).toEqual([2, 2]);
});
