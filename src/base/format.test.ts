import { expect, it } from 'vitest';

import {
  fileName,
  formatBytes,
  formatMillis,
  formatPart,
  formatSeconds,
  formatShare,
} from './format';

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.00 kB'],
  [12_345, '12.3 kB'],
  [999_600, '1.00 MB'],
  [2_200_000_000, '2.20 GB'],
])('writes %d bytes as %s', (bytes, expected) => expect(formatBytes(bytes)).toBe(expected));

it('never shows unfinished work as complete', () => {
  expect(formatShare(0.9999)).toBe('99%');
  expect(formatShare(0)).toBe('0%');
  expect(formatShare(1)).toBe('100%');
});

it.each([
  [0, '0%'],
  [0.000_001, '<0.1%'],
  [0.001, '<1%'],
  [0.0099, '<1%'],
  [0.01, '1%'],
  [0.999_99, '99%'],
  [1, '100%'],
])('shows a share of %d as %s', (part, expected) => expect(formatPart(part)).toBe(expected));

it.each([
  [0.2, '1 s'],
  [59.1, '1 min 0 s'],
  [125, '2 min 5 s'],
  [3780, '1 h 3 min'],
])('shows %d seconds as %s', (seconds, expected) => expect(formatSeconds(seconds)).toBe(expected));

it.each([
  [0.42, '0.4 ms'],
  [12.3, '12 ms'],
  [999.9, '1.0 s'],
])('shows a latency of %d ms as %s', (millis, expected) =>
  expect(formatMillis(millis)).toBe(expected),
);

it.each([
  ['/var/log/app.log', 'app.log'],
  ['C:\\logs\\app.log', 'app.log'],
  ['/var/log/', 'log'],
  ['/', '/'],
])('takes the file name of %s', (path, expected) => expect(fileName(path)).toBe(expected));
