import { expect, it } from 'vitest';

import { moveOf, target } from './listkeys';

it.each([
  ['j', 5, 6],
  ['ArrowUp', 0, 0],
  ['j', 99, 99],
  ['k', -1, 0],
  ['PageDown', 5, 24],
  ['PageUp', 5, 0],
  ['g', 50, 0],
  ['G', 50, 99],
  ['Enter', -1, 0],
])('%s at row %d of 100 goes to %d', (key, selected, expected) =>
  expect(target(moveOf(key)!, selected, 100, 20)).toBe(expected),
);

it('ignores other keys', () => {
  expect(moveOf('x')).toBeNull();
  expect(moveOf('constructor')).toBeNull();
});
