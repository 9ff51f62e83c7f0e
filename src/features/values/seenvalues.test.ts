// @vitest-environment jsdom
import { expect, it } from 'vitest';

import { finderAt, seen, toolsLeft } from './seenvalues';

const box = (left: number, right: number) => ({ left, right, top: 0, bottom: 20 });

it('the tools follow a value, over the end of a long one, and never leave the window', () => {
  expect(toolsLeft(box(100, 130), box(90, 300), 60, 1000)).toBe(132);
  expect(toolsLeft(box(100, 300), box(90, 300), 60, 1000)).toBe(240);
  // A level has no room for them.
  expect(toolsLeft(box(100, 114), box(90, 120), 60, 1000)).toBe(116);
  expect(toolsLeft(box(960, 990), box(950, 990), 60, 1000)).toBe(940);
});

it('a value is found from anything within its element, until the element is gone', () => {
  const cell = document.createElement('td');
  cell.innerHTML = '<b>502</b>';
  const value = { field: 'status', value: '502' };
  const end = seen(value)(cell) as () => void;
  const found = finderAt(cell.firstElementChild)?.(cell, null);
  expect(found).toMatchObject({ seen: value, element: cell });
  expect('seen' in cell.dataset).toBe(true);
  end();
  expect(finderAt(cell.firstElementChild)).toBeNull();
  expect('seen' in cell.dataset).toBe(false);
});
