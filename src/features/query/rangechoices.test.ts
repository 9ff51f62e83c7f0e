import { expect, it } from 'vitest';

import { DAY, HOUR } from '../../base/time';
import { isRelative, offeredZones, quickRanges } from './rangechoices';

it('offers ranges that are shorter than the data', () => {
  expect(quickRanges(2n * HOUR).map(({ written }) => written)).toEqual([
    'now-30s',
    'now-5m',
    'now-15m',
    'now-1h',
  ]);
  expect(quickRanges(90n * DAY).map(({ written }) => written)).toContain('now-30d');
  expect(quickRanges(0n)).toEqual([]);
});

it('recognises times relative to the data', () => {
  expect(
    ['now-15m', 'Yesterday', '-1h@h', '15m', 'last 15 minutes', '5 minutes ago', 'PT15M'].every(
      isRelative,
    ),
  ).toBe(true);
  expect(
    [
      '2024-05-01',
      '@2024-05-01T14:05',
      '1714572300',
      '3 Mar 2026',
      '14:05/PT15M',
      'P1D/2024-05-02',
    ].some(isRelative),
  ).toBe(false);
});

it('offers the zones of the sources, each once, and none that the system does not know', () => {
  const zones = offeredZones([
    'Europe/Berlin (from the file)',
    'Europe/Berlin',
    'UTC',
    undefined,
    'none said',
  ]);
  expect(zones[0]).toBe('UTC');
  expect(zones.filter((zone) => zone === 'Europe/Berlin')).toHaveLength(1);
  expect(zones).not.toContain('none');
});
