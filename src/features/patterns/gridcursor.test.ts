import { expect, it } from 'vitest';

import { GridCursor } from './gridcursor';

function cursor(rows = 40, columns = 30): GridCursor {
  const keys = new GridCursor();
  keys.layout(rows, columns);
  return keys;
}

it('shows itself with the first key, then moves by cells and stays inside', () => {
  const keys = cursor();
  expect(keys.key('x', false)).toBe(false);
  expect(keys.cell).toBeNull();
  expect(keys.key('ArrowDown', false)).toBe(true);
  expect(keys.cell).toEqual({ row: 0, column: 0 });
  for (const [key, row, column] of [
    ['ArrowLeft', 0, 0],
    ['ArrowRight', 0, 1],
    ['ArrowDown', 1, 1],
    ['PageDown', 11, 1],
    ['End', 11, 29],
    ['PageUp', 1, 29],
    ['Home', 1, 0],
    ['ArrowUp', 0, 0],
  ] as const) {
    keys.key(key, false);
    expect(keys.cell).toEqual({ row, column });
  }
});

it('selects columns while Shift is down, and drops the selection with the next key', () => {
  const keys = cursor();
  keys.place({ row: 3, column: 10 });
  keys.key('ArrowRight', true);
  keys.key('ArrowRight', true);
  expect(keys.selection).toEqual({ first: 10, last: 12 });
  keys.key('Home', true);
  expect(keys.selection).toEqual({ first: 0, last: 10 });
  keys.key('ArrowDown', false);
  expect(keys.selection).toBeNull();
  expect(keys.cancel()).toBe(true);
  expect(keys.cancel()).toBe(false);
});

it('stays inside of a grid that becomes smaller, and leaves an empty one', () => {
  const keys = cursor();
  keys.place({ row: 39, column: 29 });
  keys.layout(5, 4);
  expect(keys.cell).toEqual({ row: 4, column: 3 });
  keys.layout(0, 0);
  expect(keys.cell).toBeNull();
  expect(keys.key('ArrowDown', false)).toBe(false);
});
