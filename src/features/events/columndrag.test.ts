import { expect, test } from 'vitest';

import { dragged, placeAt, pulledPx } from './columndrag';

const RIGHTS = [100, 140, 300];

test('the target is the column under the pointer, and the last one beyond all', () => {
  expect([-5, 99, 100, 299, 900].map((x) => placeAt(x, RIGHTS))).toEqual([0, 0, 1, 2, 2]);
});

test('a press that hardly moves stays a click', () => {
  const pressed = { field: 'host', startX: 50, to: null };
  expect(dragged(pressed, 53, RIGHTS).to).toBeNull();
  const moving = dragged(pressed, 120, RIGHTS);
  expect(moving.to).toBe(1);
  expect(dragged(moving, 51, RIGHTS).to).toBe(0);
});

test('an edge moves by as much as the pointer', () => {
  expect(pulledPx({ field: 'host', startX: 200, startPx: 120 }, 180)).toBe(100);
});
