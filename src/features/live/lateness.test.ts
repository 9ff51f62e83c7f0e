import { expect, it } from 'vitest';

import { formatDay, nanosFromTime, parseTime, type Time } from '../../base/time';
import type { Nanos } from '../../ipc/generated';
import { lateness } from './lateness';

const clock = { day: (time: Time) => formatDay(time) };
const last = nanosFromTime(parseTime('2026-11-29 12:00')!) as Nanos;

it('says the day of an old event instead of how late it is', () => {
  const hours = (count: number) => lateness({ lagMs: count * 3_600_000, last }, clock);
  expect(hours(6_539)).toBe('newest event is from 2026-03-02');
  expect(hours(2)).toBe('2 h 0 min late');
  expect(lateness({ lagMs: 500, last }, clock)).toBeNull();
  expect(lateness({ lagMs: null, last }, clock)).toBeNull();
});
