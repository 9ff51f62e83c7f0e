import { expect, test } from 'vitest';

import { popoverPlace, type Box } from './popoverplace';

const room = { width: 1000, height: 600 };
const button = (left: number, top: number): Box => ({
  left,
  top,
  right: left + 100,
  bottom: top + 24,
});
const menu = { width: 200, height: 300 };
const below = { side: 'left', up: false } as const;

test('popover opens under its button, aligned with the wished edge', () => {
  const place = popoverPlace(button(300, 100), menu, room, below);
  expect(place).toEqual({ left: 300, top: 128, mostHeight: 468 });
  const right = popoverPlace(button(300, 100), menu, room, { side: 'right', up: false });
  expect(right.left).toBe(200);
});

test('popover without room on the wished side opens on the other one', () => {
  expect(popoverPlace(button(300, 500), menu, room, below).top).toBe(500 - 4 - 300);
  const up = { side: 'left', up: true } as const;
  expect(popoverPlace(button(300, 20), menu, room, up).top).toBe(48);
  expect(popoverPlace(button(300, 560), menu, room, up).top).toBe(256);
});

test('popover never leaves the window, however large it is', () => {
  expect(popoverPlace(button(950, 100), menu, room, below).left).toBe(1000 - 200 - 4);
  expect(popoverPlace(button(0, 100), menu, room, { side: 'right', up: false }).left).toBe(4);
  const tall = popoverPlace(button(300, 200), { width: 2000, height: 900 }, room, below);
  expect(tall).toEqual({ left: 4, top: 228, mostHeight: 368 });
  const outside = popoverPlace(button(300, -900), menu, room, below);
  expect(outside.top).toBeGreaterThanOrEqual(4);
});
