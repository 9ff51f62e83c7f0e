import { describe, expect, it } from 'vitest';

import { asTime, HOUR, MINUTE, parseTime, type Time } from './time';
import { Clock } from './zone';

const at = (text: string): Time => parseTime(text)!;
const berlin = new Clock('Europe/Berlin');

it('shows the same time in the clocks of its zone, with summer time', () => {
  expect(berlin.full(at('2026-07-01 12:00:00.123456789'))).toBe('2026-07-01 14:00:00.123456789');
  expect(berlin.full(at('2026-01-01 23:30'))).toBe('2026-01-02 00:30:00');
  expect(berlin.range({ from: at('2026-01-01 22:30'), to: at('2026-01-01 22:45') })).toBe(
    '2026-01-01 23:30 – 23:45',
  );
  expect(new Clock('Asia/Kolkata').clock(at('2026-01-01 00:00'))).toBe('05:30:00');
  expect(new Clock('America/St_Johns').label(at('2026-01-01 00:00'))).toBe('UTC−03:30');
  expect(new Clock('UTC').label(null)).toBe('UTC');
});

it('follows a zone that changes', () => {
  let zone = 'UTC';
  const clock = new Clock(() => zone);
  expect(clock.clock(at('2026-07-01 12:00'))).toBe('12:00:00');
  zone = 'Europe/Berlin';
  expect(clock.clock(at('2026-07-01 12:00'))).toBe('14:00:00');
  expect(clock.zone).toBe('Europe/Berlin');
});

it('treats an unknown zone as UTC', () => {
  expect(new Clock('Nowhere/City').zone).toBe('UTC');
});

describe('parsing wall-clock times', () => {
  it('is the inverse of formatting, around clock changes too', () => {
    for (const name of [
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'Pacific/Apia',
      'UTC',
    ]) {
      const clock = new Clock(name);
      for (const around of [
        '2026-03-29 00:30',
        '2026-10-25 00:30',
        '2026-11-01 06:00',
        '2011-12-30 09:00',
      ]) {
        for (let step = -40n; step < 40n; step += 1n) {
          const time = asTime(at(around) + step * 30n * MINUTE + 7n);
          const back = clock.fromWall(clock.wall(time));
          // Only if clocks show a time twice, the result is the earlier one.
          expect(clock.wall(back)).toBe(clock.wall(time));
          expect(time - back >= 0n && time - back <= HOUR).toBe(true);
        }
      }
    }
  });

  it('maps a time that clocks skip to the hour after it', () => {
    expect(berlin.fromWall(at('2026-03-29 02:30'))).toBe(at('2026-03-29 01:30'));
  });
});
