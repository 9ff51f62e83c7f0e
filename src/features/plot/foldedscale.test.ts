import { describe, expect, it } from 'vitest';

import { asTime, DAY, parseTime, type Time, type TimeRange } from '../../base/time';
import { Clock } from '../../base/zone';
import { emptyStretches, FoldedScale } from './foldedscale';

const at = (text: string) => parseTime(text)!;
const range: TimeRange = { from: at('2010-01-01'), to: at('2026-01-01') };
const stretch = (from: string, to: string) => ({ from: at(from), to: at(to) });
const YEARS = [
  stretch('2010-01-03', '2014-03-01'),
  stretch('2014-03-05', '2025-12-28'),
  stretch('2025-12-29', '2025-12-29 01:00'),
];
const scale = new FoldedScale(range, 1000, YEARS);
const days = (from: Time, to: Time) => scale.toPx(to) - scale.toPx(from);

describe('the stretches without events', () => {
  it('are the runs of empty buckets, and the ends that no bucket covers', () => {
    const data = { start: asTime(10n), bucket: 10n, sums: [0, 3, 0, 0, 2, 1] };
    expect(emptyStretches(data, { from: asTime(0n), to: asTime(90n) })).toEqual([
      { from: 0n, to: 20n },
      { from: 30n, to: 50n },
      { from: 70n, to: 90n },
    ]);
    expect(
      emptyStretches({ ...data, sums: [1, 1] }, { from: asTime(15n), to: asTime(25n) }),
    ).toEqual([]);
  });
});

describe('a folded time axis', () => {
  it('gives the years without events to the days that have some', () => {
    expect(scale.folds).toEqual(YEARS.slice(0, 2));
    expect(days(at('2010-01-03'), at('2014-03-01'))).toBeCloseTo(16);
    const day = days(at('2010-01-01'), at('2010-01-02'));
    expect(day).toBeGreaterThan(80);
    expect(days(at('2014-03-01'), at('2014-03-02'))).toBeCloseTo(day);
    expect([scale.toPx(range.from), scale.toPx(range.to)]).toEqual([0, 1000]);
  });

  it('maps pixels back to times, in breaks too', () => {
    for (const text of ['2010-01-02 12:00', '2012-01-01', '2014-03-03', '2025-12-31'])
      expect(Number(scale.toTime(scale.toPx(at(text))) - at(text))).toBeLessThan(Number(DAY) / 100);
    expect(scale.toTime(-5)).toBe(range.from);
    expect(scale.toTime(5000)).toBe(range.to);
    expect(scale.toPx(asTime(range.from - DAY))).toBeLessThan(0);
  });

  it('begins each part with its day, and labels nothing within a break', () => {
    const labels = scale.ticks(96, new Clock('UTC'));
    expect(labels.map(({ label }) => label)).toContain('Mar 1, 2014');
    expect(labels[0]!.label).toBe('Jan 1, 2010');
    const isInBreak = (time: Time) => YEARS.some(({ from, to }) => from < time && time < to);
    expect(labels.filter(({ time }) => isInBreak(time))).toEqual([]);
    const places = labels.map(({ time }) => scale.toPx(time));
    expect(places.slice(1).every((px, before) => px - places[before]! >= 95)).toBe(true);
  });

  it('is linear if nothing is wide enough to fold, or if there are no events at all', () => {
    const even = new FoldedScale(range, 1000, [stretch('2010-01-03', '2010-02-01')]);
    expect(even.folds).toEqual([]);
    expect(even.toPx(at('2018-01-01'))).toBeCloseTo(500, -1);
    expect(new FoldedScale(range, 1000, [range]).folds).toEqual([]);
    const moment = { from: asTime(5n), to: asTime(5n) };
    expect(new FoldedScale(moment, 100, []).toPx(asTime(5n))).toBe(0);
  });

  it('keeps half of the width for events, however many stretches there are', () => {
    const nights = Array.from({ length: 400 }, (_, day): TimeRange => {
      const from = asTime(range.from + BigInt(day * 14) * DAY);
      return { from, to: asTime(from + 13n * DAY) };
    });
    const folded = new FoldedScale(range, 320, nights);
    expect(folded.folds.length).toBeLessThanOrEqual(10);
  });
});
