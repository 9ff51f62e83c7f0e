import { describe, expect, it } from 'vitest';

import {
  asTime,
  ceilTo,
  floorTo,
  formatRange,
  formatSpan,
  formatTime,
  formatTimeFull,
  nanosFromTime,
  parseTime,
  SECOND,
  timeFromNanos,
} from './time';

const at = (text: string) => parseTime(text)!;

describe('nanoseconds on the wire', () => {
  it('keeps every digit that a number would lose', () => {
    const text = '1772373909123456789';
    expect(nanosFromTime(timeFromNanos(text))).toBe(text);
    expect(formatTimeFull(timeFromNanos(text))).toBe('2026-03-01 14:05:09.123456789');
  });
});

describe('formatting', () => {
  it.each([
    ['0', '1970-01-01 00:00:00.000'],
    ['-1', '1969-12-31 23:59:59.999'],
    ['1772373909123999999', '2026-03-01 14:05:09.123'],
  ])('shows %s as %s', (nanos, expected) => {
    expect(formatTime(timeFromNanos(nanos))).toBe(expected);
  });

  it.each([
    ['2026-03-01 14:05', '2026-03-01 14:10', '2026-03-01 14:05 – 14:10'],
    ['2026-03-01 14:05:09.5', '2026-03-01 14:05:10', '2026-03-01 14:05:09.500 – 14:05:10'],
    ['2026-03-01', '2026-03-02', '2026-03-01 00:00 – 2026-03-02 00:00'],
    // An event at the full minute is the last one.
    ['2026-03-01 14:05', '2026-03-01 14:10:00.000000001', '2026-03-01 14:05 – 14:10'],
    ['2026-03-01 14:05', '2026-03-01 14:10:00.123000001', '2026-03-01 14:05 – 14:10:00.123'],
    ['2026-03-01', '2026-03-02 00:00:00.000000001', '2026-03-01 00:00 – 2026-03-02 00:00'],
    ['2026-03-01 14:05', '2026-03-01 14:05:00.000000001', '2026-03-01 14:05'],
    ['2026-03-01 14:05', '2026-03-01 14:05', '2026-03-01 14:05'],
    ['2026-03-01 14:05', '2026-03-01 14:05:00.000000002', '2026-03-01 14:05 – 14:05:00.000000002'],
  ])('shows the range %s to %s as %s', (from, to, expected) => {
    expect(formatRange({ from: at(from), to: at(to) })).toBe(expected);
  });

  it.each([
    [0n, '0 s'],
    [30n * SECOND, '30 s'],
    [5_400n * SECOND, '1 h 30 min'],
    [86_400n * SECOND, '1 d'],
    [250_000_000n, '250 ms'],
    [7n, '7 ns'],
    [3_432n * SECOND, '57 min 12 s'],
    [1_999_999_999n, '2 s'],
    [7_199n * SECOND + 900_000_000n, '2 h'],
  ])('shows the duration %s as %s', (span, expected) => {
    expect(formatSpan(span)).toBe(expected);
  });
});

describe('parsing what a person types', () => {
  it.each([
    ['2026-03-01', '2026-03-01 00:00:00'],
    [' 2026-03-01T14:05Z ', '2026-03-01 14:05:00'],
    ['2026-03-01 14:05:09,000000001', '2026-03-01 14:05:09.000000001'],
    ['2026-03-01 14:05:09 UTC', '2026-03-01 14:05:09'],
  ])('parses %s', (text, expected) => {
    expect(formatTimeFull(at(text))).toBe(expected);
  });

  it.each(['', 'yesterday', '2026-02-30', '2026-03-01 24:00', '2026-03-01 14:60', '1500-01-01'])(
    'rejects %j',
    (text) => expect(parseTime(text)).toBeNull(),
  );
});

describe('rounding to a step', () => {
  it('rounds down and up before and after 1970', () => {
    expect(floorTo(asTime(15n), 10n)).toBe(10n);
    expect(floorTo(asTime(-15n), 10n)).toBe(-20n);
    expect(ceilTo(asTime(15n), 10n)).toBe(20n);
    expect(ceilTo(asTime(-15n), 10n)).toBe(-10n);
    expect(ceilTo(asTime(20n), 10n)).toBe(20n);
  });
});
