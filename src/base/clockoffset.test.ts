import { describe, expect, it } from 'vitest';

import { formatClockOffset, parseClockOffset } from './clockoffset';

describe('a clock offset', () => {
  it.each([
    ['1h30m', 5_400_000_000_000n],
    ['-250ms', -250_000_000n],
    ['+2s', 2_000_000_000n],
    ['1.5s', 1_500_000_000n],
    ['−3 h', -10_800_000_000_000n],
    ['5µs', 5_000n],
    ['', 0n],
  ])('parses %s', (text, ns) => {
    expect(parseClockOffset(text)).toBe(ns);
  });

  it.each(['soon', '5', '1h 30', '--1s', '1y', 'h'])('rejects %s', (text) => {
    expect(parseClockOffset(text)).toBeNull();
  });

  it('formats to a text that parses to the same value', () => {
    for (const ns of [1n, -1n, 999_999_999n, 90_061_001_002_003n, -5_400_000_000_000n]) {
      expect(parseClockOffset(formatClockOffset(ns))).toBe(ns);
    }
    expect(formatClockOffset(-5_400_000_000_000n)).toBe('-1h30m');
  });
});
