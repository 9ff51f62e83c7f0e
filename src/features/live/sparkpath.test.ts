import { expect, it } from 'vitest';

import { sparkPath } from './sparkpath';

it('ends at the right edge and fills the height', () => {
  expect(sparkPath([0, 10, 5], 120, 11)).toBe('M118 11L118 11L119 1L120 6L120 11Z');
});

it('draws only the last samples, and nothing without events', () => {
  expect(sparkPath([9, 1, 1], 2, 11)).toBe('M1 11L1 1L2 1L2 11Z');
  expect(sparkPath([0, 0], 120, 11)).toBe('');
  expect(sparkPath([], 120, 11)).toBe('');
});
