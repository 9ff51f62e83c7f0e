import { expect, it } from 'vitest';

import type { Nanos } from '../../ipc/generated';
import { eventsPerDay, noiseBars } from './rulenoise';

const nanos = (value: number | bigint) => String(value) as Nanos;
const bin = (start: number, events: number) => ({ start: nanos(start), events });

it('draws bins with events over all of the time of the case', () => {
  const noise = [bin(0, 1), bin(90, 4)];
  const bars = noiseBars(noise, nanos(10), { from: nanos(5), to: nanos(99) });
  expect(bars).toEqual([
    { left: 0, width: 0.1, height: 0.5 },
    { left: 0.9, width: 0.1, height: 1 },
  ]);
  expect(noiseBars([], nanos(10), { from: nanos(5), to: nanos(99) })).toEqual([]);
  expect(noiseBars(noise, nanos(10), null)).toEqual([]);
});

it('has no rate for less than a day', () => {
  const day = 86_400n * 1_000_000_000n;
  expect(eventsPerDay(10, { from: nanos(0), to: nanos(day * 2n) })).toBe(5);
  expect(eventsPerDay(10, { from: nanos(0), to: nanos(day / 2n) })).toBeNull();
  expect(eventsPerDay(10, null)).toBeNull();
});
