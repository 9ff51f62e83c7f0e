import { describe, expect, it } from 'vitest';

import { asTime, formatTimeFull, parseTime } from '../../base/time';
import { TimeScale, timeTicks } from './timescale';

const range = (from: string, to: string) => ({ from: parseTime(from)!, to: parseTime(to)! });
const times = (from: string, to: string, most: number) =>
  timeTicks(range(from, to), most).map((tick) => formatTimeFull(tick.time));

describe('the time scale', () => {
  it('maps both ends exactly and back', () => {
    const day = range('2026-03-01', '2026-03-02');
    const scale = new TimeScale(day, 1200);
    expect(scale.toPx(day.from)).toBe(0);
    expect(scale.toPx(day.to)).toBe(1200);
    expect(scale.toTime(0)).toBe(day.from);
    expect(scale.toTime(1200)).toBe(day.to);
    expect(formatTimeFull(scale.toTime(600))).toBe('2026-03-01 12:00:00');
  });

  it('stays inside the range and distinguishes nanoseconds of this century', () => {
    const from = parseTime('2026-03-01 14:05:09')!;
    const scale = new TimeScale({ from, to: asTime(from + 10n) }, 1000);
    expect(scale.toPx(asTime(from + 1n))).toBeCloseTo(100);
    expect(scale.toTime(-50)).toBe(from);
    expect(scale.toTime(5000)).toBe(from + 10n);
  });

  it('handles an empty range', () => {
    const at = asTime(5n);
    expect(new TimeScale({ from: at, to: at }, 100).toPx(at)).toBe(0);
  });
});

describe('time ticks', () => {
  it('are at round times', () => {
    expect(times('2026-03-01 14:02', '2026-03-01 14:58', 8)).toEqual([
      '2026-03-01 14:10:00',
      '2026-03-01 14:20:00',
      '2026-03-01 14:30:00',
      '2026-03-01 14:40:00',
      '2026-03-01 14:50:00',
    ]);
  });

  it('show the day at midnight and the time of day elsewhere', () => {
    const labels = timeTicks(range('2026-02-28 18:00', '2026-03-01 12:00'), 4).map((t) => t.label);
    expect(labels).toHaveLength(3);
    expect(labels[0]).toBe('18:00');
    expect(labels[1]).toMatch(/1/);
    expect(labels[1]).not.toMatch(/:/);
    expect(labels[2]).toBe('06:00');
  });

  it('follow the calendar over months and years', () => {
    expect(times('2025-11-15', '2026-03-15', 6)).toEqual([
      '2025-12-01 00:00:00',
      '2026-01-01 00:00:00',
      '2026-02-01 00:00:00',
      '2026-03-01 00:00:00',
    ]);
    expect(times('1998-05-01', '2026-05-01', 8)).toEqual([
      '2000-01-01 00:00:00',
      '2005-01-01 00:00:00',
      '2010-01-01 00:00:00',
      '2015-01-01 00:00:00',
      '2020-01-01 00:00:00',
      '2025-01-01 00:00:00',
    ]);
  });

  it('begin weeks on Monday', () => {
    for (const { time } of timeTicks(range('2026-03-01', '2026-04-20'), 8)) {
      expect(new Date(Number(time / 1_000_000n)).getUTCDay()).toBe(1);
    }
  });

  it.each([1, 3, 8, 20])('are never more than requested (%d), over any span', (most) => {
    const from = parseTime('2026-03-01 14:05:09.123456789')!;
    for (let span = 1n; span < 5n * 10n ** 18n; span = span * 3n + 1n) {
      const ticks = timeTicks({ from, to: asTime(from + span) }, most);
      expect(ticks.length).toBeLessThanOrEqual(most);
      for (const { time } of ticks) {
        expect(time).toBeGreaterThanOrEqual(from);
        expect(time).toBeLessThan(from + span);
      }
    }
  });
});
