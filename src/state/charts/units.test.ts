import { describe, expect, it } from 'vitest';

import { formatChange, formatCompared, formatTick } from './units';

it('writes all values of an axis in the unit of the largest', () => {
  expect(formatTick(8000, 'plain', 10_000)).not.toContain('000');
  expect(formatTick(8000, 'plain', 8000)).toContain('000');
  expect(formatTick(500, 'ms', 20_000)).toBe('500 ms');
  expect(formatTick(100_000, 'ms', 100_000)).toBe('100 s');
  expect(formatTick(120, 's', 120)).toBe('2 min');
  expect(formatTick(100_000, 's', 100_000)).toMatch(/^100K s$/i);
});

describe('a change', () => {
  it('has the sign of the displayed value', () => {
    expect(formatChange(110, 100)).toBe('+10 %');
    expect(formatChange(95.5, 100)).toBe('−4.5 %');
  });

  it('has no sign if it rounds to zero', () => {
    expect(formatChange(99_999, 100_000)).toBe('±0 %');
    expect(formatChange(100_001, 100_000)).toBe('±0 %');
    expect(formatChange(100, 100)).toBe('±0 %');
  });

  it('from zero has none', () => {
    expect(formatChange(1, 0)).toBeNull();
  });

  it('names the values before and after', () => {
    expect(formatCompared(5_080, 67, 'ms')).toBe('67 ms → 5.08 s (×76)');
    expect(formatCompared(3, 0, 'plain')).toBe('0 → 3');
    expect(formatCompared(3, null, 'plain')).toBe('– → 3');
  });
});
