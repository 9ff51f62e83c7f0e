import { describe, expect, it } from 'vitest';

import cases from '../../fixtures/clock-offsets.json';
import { formatClockOffset, parseClockOffset } from './clockoffset';

describe('a clock offset', () => {
  it.each(Object.entries(cases.read))('parses %j as the command line does', (text, ns) => {
    expect(parseClockOffset(text)).toBe(BigInt(ns));
  });

  it.each(cases.refused)('rejects %j as the command line does', (text) => {
    expect(parseClockOffset(text)).toBeNull();
  });

  it('takes an empty text for no offset', () => {
    expect(parseClockOffset('')).toBe(0n);
  });

  it('formats to a text that parses to the same value', () => {
    for (const ns of [1n, -1n, 999_999_999n, 90_061_001_002_003n, -5_400_000_000_000n]) {
      expect(parseClockOffset(formatClockOffset(ns))).toBe(ns);
    }
    expect(formatClockOffset(-5_400_000_000_000n)).toBe('-1h30m');
  });
});
