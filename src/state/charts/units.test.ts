import { describe, expect, it } from 'vitest';

import { formatChange, formatTick } from './units';

it('writes all values of an axis as its greatest one', () => {
  expect(formatTick(8000, 'plain', 10_000)).not.toContain('000');
  expect(formatTick(8000, 'plain', 8000)).toContain('000');
  expect(formatTick(500, 'ms', 20_000)).toBe('500 ms');
});

describe('a change', () => {
  it('has the sign of what is shown', () => {
    expect(formatChange(110, 100)).toBe('+10 %');
    expect(formatChange(95.5, 100)).toBe('−4.5 %');
  });

  it('that rounds to nothing is neither more nor less', () => {
    expect(formatChange(99_999, 100_000)).toBe('±0 %');
    expect(formatChange(100_001, 100_000)).toBe('±0 %');
    expect(formatChange(100, 100)).toBe('±0 %');
  });

  it('from nothing is none', () => {
    expect(formatChange(1, 0)).toBeNull();
  });
});
