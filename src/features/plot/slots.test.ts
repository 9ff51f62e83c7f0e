import { expect, it } from 'vitest';

import { Brush } from './brush';
import { Slots } from './slots';

const months = new Slots([-10, 21, 49, 80, 110], 100);

it('finds the slot under a pixel, whatever the widths, and none outside', () => {
  expect([0, 20.9, 21, 48, 80, 99, 100].map((px) => months.slotAt(px))).toEqual([
    0, 0, 1, 1, 3, 3, 3,
  ]);
  expect([-1, 101, 111].map((px) => months.slotAt(px))).toEqual([null, null, null]);
  expect(new Slots([], 100).slotAt(5)).toBeNull();
});

it('cuts slots at the edges of the plot, and gives those outside no width', () => {
  expect(months.slotPx(0)).toEqual({ x: 0, width: 21 });
  expect(months.slotPx(3)).toEqual({ x: 80, width: 20 });
  const outside = new Slots([-9, -4, 50, 101, 105], 100);
  expect([0, 3].map((at) => outside.slotPx(at).width)).toEqual([0, 0]);
});

it('lets the brush select whole slots of different widths', () => {
  const brush = new Brush();
  brush.layout(months.count, months.bandPx, 0, months.bandPx * months.count);
  for (const [from, to, selected] of [
    [5, 60, { first: 0, last: 2 }],
    [95, 22, { first: 1, last: 3 }],
    [50, 79, { first: 2, last: 2 }],
  ] as const) {
    brush.down(months.toBand(from));
    expect(brush.up(months.toBand(to))).toEqual(selected);
  }
});

it('leaves a gap after a bar that has room for one', () => {
  const slots = new Slots([0, 2, 5], 100);
  expect([0, 1].map((at) => slots.barPx(at).width)).toEqual([2, 2]);
});

it('maps every pixel of a slot to the equal slot of the same index', () => {
  for (let px = 0; px < 100; px += 1) {
    expect(Math.floor(months.toBand(px) / months.bandPx)).toBe(months.slotAt(px));
  }
});
