import { describe, expect, it } from 'vitest';

import {
  binScale,
  countScale,
  countTicks,
  linearTicks,
  logTicks,
  niceStep,
  powerTicks,
  valueScale,
} from './valuescale';

it('steps by 1, 2 or 5, and by minutes and hours where durations are that long', () => {
  expect(niceStep(10, 5, 'plain')).toBe(2);
  expect(niceStep(0.9, 5, 'plain')).toBeCloseTo(0.2);
  expect(niceStep(600_000, 6, 'ms')).toBe(120_000);
  expect(niceStep(7_200, 4, 's')).toBe(1_800);
  expect(niceStep(600_000, 6, 'plain')).toBe(100_000);
});

it('begins at zero and ends at a round value', () => {
  const scale = valueScale([3, 17.5], 'linear', 100, 'plain', false);
  expect([scale.ticks[0], scale.ticks.at(-1)]).toEqual([0, 20]);
  expect([scale.toPx(0), scale.toPx(20)]).toEqual([0, 100]);
  const below = valueScale([-4, 4], 'linear', 100, 'plain', false);
  expect(below.toPx(below.ticks[0]!)).toBe(0);
  expect(below.ticks[0]).toBeLessThanOrEqual(-4);
});

it('counts events in whole steps, however few there are', () => {
  expect(valueScale([1], 'linear', 400, 'plain', true).ticks).toEqual([0, 1]);
});

it('handles an empty list of values', () => {
  for (const name of ['linear', 'logarithmic'] as const) {
    const scale = valueScale([], name, 100, 'ms', false);
    expect(Number.isFinite(scale.toPx(0))).toBe(true);
    expect(scale.ticks.every(Number.isFinite)).toBe(true);
  }
});

it('puts zero at the bottom of a logarithmic scale, on which equal factors have equal heights', () => {
  const scale = valueScale([1, 10, 100, 0], 'logarithmic', 210, 'plain', false);
  expect(scale.toPx(0)).toBe(0);
  expect(scale.toPx(100) - scale.toPx(10)).toBeCloseTo(scale.toPx(10) - scale.toPx(1));
  expect(scale.ticks).toContain(10);
});

it('leaves room above the largest value of a logarithmic scale for its line', () => {
  const scale = valueScale([3, 70], 'logarithmic', 200, 'ms', false);
  expect(scale.toPx(70)).toBeLessThan(196);
  expect(scale.toPx(70)).toBeGreaterThan(180);
});

it('thins out powers of ten if there are many', () => {
  expect(logTicks(1, 100, 9)).toEqual([1, 2, 5, 10, 20, 50, 100]);
  expect(logTicks(1, 1e12, 5).length).toBeLessThanOrEqual(5);
  expect(logTicks(0, 5, 5)).toEqual([]);
  expect(linearTicks(0, 0.3, 3, 'plain')).toEqual([0, 0.1, 0.2, 0.3]);
});

it('gives every power of ten the same width on a logarithmic axis, and zero a slot before it', () => {
  const edges = [0, 1, 10, 100, 1000];
  const scale = binScale(edges, 'logarithmic', 400, 'plain', 5);
  expect(scale.edgesPx.map(Math.round)).toEqual([0, 100, 200, 300, 400]);
  expect(scale.toPx(Math.sqrt(10))).toBeCloseTo(150);
  expect(scale.toPx(9999)).toBe(400);
  expect(scale.ticks).toEqual([0, 1, 10, 100, 1000]);
  expect(scale.steps).toHaveLength(28);
});

it('gives a bin a width in proportion to its span', () => {
  expect(binScale([1, 2, 10], 'logarithmic', 100, 'plain', 5).edgesPx[1]).toBeCloseTo(30.1);
  expect(binScale([0, 2, 10], 'linear', 100, 'plain', 5).edgesPx).toEqual([0, 20, 100]);
});

it('makes an axis of any bins', () => {
  expect(binScale([-3, -1], 'logarithmic', 400, 'plain', 10).edgesPx).toEqual([0, 400]);
  expect(binScale([], 'linear', 400, 'plain', 10).ticks.length).toBeGreaterThan(0);
});

describe('count ticks', () => {
  it.each([
    [0, [0]],
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [10, [0, 5, 10]],
    [1234, [0, 500, 1000, 1500]],
    [1_000_000, [0, 500_000, 1_000_000]],
  ])('of %d are round and reach past it', (tallest, expected) =>
    expect(countTicks(tallest, 3)).toEqual(expected),
  );
});

it('gives a count of one a height on a logarithmic axis, and the last tick the whole height', () => {
  const ticks = powerTicks(4_000);
  expect([ticks[0], ticks.at(-1)]).toEqual([0, 10_000]);
  const scale = countScale(4_000, 'logarithmic', 100, ticks);
  expect(scale.toPx(0)).toBe(0);
  expect(scale.toPx(1)).toBeGreaterThan(5);
  expect(scale.toPx(ticks.at(-1)!)).toBeCloseTo(100);
  expect(countScale(4, 'linear', 100, [0, 2, 4]).toPx(1)).toBe(25);
});
