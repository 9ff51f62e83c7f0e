import { expect, it } from 'vitest';

import { moveOf, pickingOf, target } from './listkeys';

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

it('keeps the selection with Ctrl, extends it with Shift, and distinguishes G from g', () => {
  const plain = { key: 'ArrowDown', ctrlKey: false, metaKey: false, shiftKey: false };
  expect(pickingOf(plain)).toBe('replace');
  expect(pickingOf({ ...plain, ctrlKey: true })).toBe('toggle');
  expect(pickingOf({ ...plain, shiftKey: true })).toBe('extend');
  expect(pickingOf({ ...plain, shiftKey: true, key: 'G' })).toBe('replace');
});
