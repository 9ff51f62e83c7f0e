import { expect, it } from 'vitest';

import { timeFromNanos } from '../../base/time';
import { csvOf, plainNumber, textCell } from './csv';

it('writes plain numbers, ISO times, and empty cells for missing values', () => {
  const columns = ['time', 'p95, slow', 'n'].map((name) => ({ name, unit: 'plain' as const }));
  const rows = [
    [timeFromNanos('1772373900123000000'), -0.5, null],
    [timeFromNanos('1772373960000000000'), 1e21, 3],
  ];
  expect(csvOf({ columns, rows })).toBe(
    'time,"p95, slow",n\r\n2026-03-01T14:05:00.123Z,-0.5,\r\n2026-03-01T14:06:00Z,1e+21,3\r\n',
  );
});

it('never lets a text from a log become a formula', () => {
  for (const text of [
    '=1+1',
    '+cmd',
    '-2+3',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    '\n=1',
    '=HYPERLINK("x")',
  ]) {
    expect(textCell(text).replace(/^"/, '')).toMatch(/^'/);
  }
  expect(textCell('=a"b')).toBe('"\'=a""b"');
  expect(textCell('plain')).toBe('plain');
});

it('writes numbers without the noise of calculations', () => {
  expect([5081.9800000000005, 0.1 + 0.2, 1772546700.123456, 1 / 3].map(plainNumber)).toEqual([
    '5081.98',
    '0.3',
    '1772546700.123456',
    '0.3333333333333333',
  ]);
});
