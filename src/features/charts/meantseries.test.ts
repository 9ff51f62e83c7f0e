import { expect, it } from 'vitest';

import { asTime } from '../../base/time';
import type { Series, TimeData } from '../../state/charts/chartdata';
import { seriesAt, seriesByKey } from './meantseries';

const series = (name: string, ...values: (number | null)[]): Series => ({
  id: `=${name}`,
  name,
  colour: 0,
  values,
  whole: null,
  before: null,
  filter: { field: 'service', value: name },
});

function chart(stacked: boolean): TimeData {
  return {
    shape: 'time',
    meta: { total: 1, untimed: 0, missing: 0, mistyped: 0, fraction: 1, elapsedMs: 1, notes: [] },
    edges: [asTime(0n), asTime(1n), asTime(2n)],
    domain: { from: asTime(0n), to: asTime(2n) },
    series: [series('cart', 10, null), series('stock', 30, null), series('pay', 60, 5)],
    unit: 'plain',
    scale: 'linear',
    stacked,
    before: null,
  };
}

const at = (stacked: boolean, slot: number, abovePx: number, hidden: string[] = []) =>
  seriesAt(chart(stacked), hidden, slot, abovePx, 100)?.name ?? null;

it('the part of a bar that is pointed at is meant, and above the bar its top', () => {
  expect([1, 20, 60, 99, 500].map((px) => at(true, 0, px))).toEqual([
    'cart',
    'stock',
    'pay',
    'pay',
    'pay',
  ]);
  expect(at(true, 0, 1, ['=cart'])).toBe('stock');
});

it('the nearest line is meant, of those that have a value there', () => {
  expect([0, 40, 100].map((px) => at(false, 0, px))).toEqual(['cart', 'stock', 'pay']);
  expect(at(false, 1, 100)).toBe('pay');
  expect(at(false, 1, 100, ['=pay'])).toBeNull();
});

it('keys walk through the values of a slot, and stop at both ends', () => {
  const step = (id: string | null, by: number, slot = 0) =>
    seriesByKey(chart(false), [], slot, id, by)?.name;
  expect(step(null, 1)).toBe('cart');
  expect([step('=cart', 1), step('=pay', 1), step('=cart', -1), step('=stock', 0)]).toEqual([
    'stock',
    'pay',
    'cart',
    'stock',
  ]);
  expect(step('=cart', 0, 1)).toBe('pay');
});
