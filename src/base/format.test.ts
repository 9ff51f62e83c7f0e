import { expect, it } from 'vitest';

import {
  counted,
  fileName,
  formatBytes,
  formatMillis,
  formatRareShare,
  formatSeconds,
  formatShare,
  formatShares,
  plural,
} from './format';

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.00 kB'],
  [12_345, '12.3 kB'],
  [999_600, '1.00 MB'],
  [2_200_000_000, '2.20 GB'],
])('writes %d bytes as %s', (bytes, expected) => expect(formatBytes(bytes)).toBe(expected));

it.each([
  [0, '0%'],
  [0.000_001, '<1%'],
  [0.0049, '<1%'],
  [75 / 1_610, '5%'],
  [2_129 / 2_730, '78%'],
  [0.994, '99%'],
  [0.999_99, '>99%'],
  [1, '100%'],
])('rounds a share of %d to %s', (share, expected) => expect(formatShare(share)).toBe(expected));

it.each([
  ['rounds the largest remainders up', [1 / 3, 1 / 3, 1 / 3], ['34%', '33%', '33%']],
  ['leaves the rest to what is not listed', [0.003, 0.333], ['<1%', '33%']],
  ['never shows a part as nothing or all', [0.9999, 0.0001], ['>99%', '<1%']],
  ['keeps whole percents', [0.29, 0.57, 0.14], ['29%', '57%', '14%']],
  ['rounds parts that overlap by themselves', [0.666, 0.667], ['67%', '67%']],
  ['has nothing of nothing', [0, 0], ['0%', '0%']],
])('adds shares up to 100 %%: %s', (_, shares, expected) =>
  expect(formatShares(shares)).toEqual(expected),
);

it.each([
  [0, '0%'],
  [0.000_213_4, '0.0213%'],
  [0.1, '10%'],
  [0.9999, '>99.9%'],
  [1, '100%'],
])('shows a rare share of %d as %s', (share, expected) =>
  expect(formatRareShare(share)).toBe(expected),
);

it.each([
  [0.2, '1 s'],
  [59.1, '1 min 0 s'],
  [125, '2 min 5 s'],
  [3780, '1 h 3 min'],
  [3432, '57 min'],
  [3599, '1 h 0 min'],
  [7199, '2 h 0 min'],
  [6539 * 3600, '272 d 11 h'],
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

it('counts in words', () => {
  expect([0, 1, 1_234].map((count) => counted(count, 'event'))).toEqual([
    '0 events',
    '1 event',
    '1,234 events',
  ]);
  expect([1, 2].map((count) => plural(count, 'is', 'are'))).toEqual(['is', 'are']);
});
