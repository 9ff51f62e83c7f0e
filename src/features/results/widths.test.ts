import { expect, it } from 'vitest';

import type { Clock } from '../../base/zone';
import { columnWidths } from './widths';

it('measures the head and the cells as they are shown', () => {
  const id = 't0123456789abcdef';
  const widths = (head: string, cell: string) =>
    columnWidths(
      [{ name: id, kind: 'text' }],
      [['1']],
      { head: () => head, cell: () => cell },
      {} as Clock,
      1,
    )[0]!;
  const long = 'A name with more letters than an id has';
  expect(widths(long, '1')).toBeGreaterThan(widths(id, '1'));
  expect(widths('n', '1')).toBeLessThan(widths(id, '1'));
  expect(widths('n', long)).toBe(widths(long, '1'));
});
