import { expect, it } from 'vitest';

import type { DetectorLevel, MeasurePoints, Nanos } from '../../ipc/generated';
import {
  crossedAt,
  hasLevel,
  isWhole,
  levelAt,
  limitsAt,
  measureUnit,
  roundLevel,
  sliderRange,
} from './levelline';

const points: MeasurePoints = {
  group: [],
  events: 10,
  low: [1, 2, null],
  high: [4, 8, null],
  expected: [10, 20, null],
  deviation: [2, 4, null],
  basis: null,
};
const level = (part: Partial<DetectorLevel>): DetectorLevel => ({
  kind: 'above',
  value: 3,
  clear: null,
  up: true,
  down: false,
  ...part,
});

it('draws a fixed limit alike in all slots, on its own side', () => {
  expect(limitsAt(points, level({}), 0)).toEqual({ upper: 3, lower: null });
  expect(limitsAt(points, level({ kind: 'below' }), 2)).toEqual({ upper: null, lower: 3 });
});

it('draws deviations around what is expected, in their directions', () => {
  const both = level({ kind: 'deviations', up: true, down: true });
  expect(limitsAt(points, both, 0)).toEqual({ upper: 16, lower: 4 });
  expect(limitsAt(points, { ...both, up: false }, 1)).toEqual({ upper: null, lower: 8 });
  expect(limitsAt(points, both, 2)).toEqual({ upper: null, lower: null });
});

it('goes back from a place of the plot to the level whose line is there', () => {
  expect(levelAt(points, level({}), 0, 5.5)).toBe(5.5);
  const deviations = level({ kind: 'deviations' });
  expect(levelAt(points, deviations, 1, 32)).toBe(3);
  expect(levelAt(points, deviations, 1, 8)).toBe(3);
  // Less than one deviation is no anomaly, and nothing is expected in the last slot.
  expect(levelAt(points, deviations, 1, 21)).toBe(1);
  expect(levelAt(points, deviations, 2, 30)).toBeNull();
});

it('lets the slider reach beyond all values', () => {
  const { min, max, step } = sliderRange([points], { kind: 'above', value: 3 });
  expect(min).toBe(0);
  expect(max).toBeGreaterThan(8);
  expect((max - min) / step).toBeGreaterThan(100);
  expect(sliderRange([points], { kind: 'above', value: 80 }).max).toBeGreaterThan(80);
  expect(sliderRange([], { kind: 'deviations', value: 6 }).min).toBe(1);
});

it('rounds a level to what a person would write', () => {
  expect(roundLevel(0.123456)).toBe(0.123);
  expect(roundLevel(98_765)).toBe(98_800);
});

it('has whole levels for counts', () => {
  expect(isWhole('above', 'count')).toBe(true);
  expect(isWhole('below', 'count_distinct(user)')).toBe(true);
  // A share, an amount, and deviations of a count are none.
  expect(isWhole('above', 'count of status>=500')).toBe(false);
  expect(isWhole('above', 'sum(bytes)')).toBe(false);
  expect(isWhole('deviations', 'count')).toBe(false);
  expect([roundLevel(6.09, true), roundLevel(98_765, true)]).toEqual([6, 98_800]);
  expect(sliderRange([points], { kind: 'above', value: 3 }, true).step).toBe(1);
});

it('says when a silence became too long, and that only a chosen level is one', () => {
  const start = '1000000000' as Nanos;
  expect(crossedAt({ start, expected: 1.5 })).toBe('2500000000');
  expect(crossedAt({ start: null, expected: 1.5 })).toBeNull();
  expect(crossedAt({ start, expected: null })).toBeNull();
  const all = ['threshold', 'absence', 'sequence', 'anomaly', 'pattern', null];
  expect(all.filter(hasLevel)).toEqual(['threshold', 'absence', 'sequence']);
});

it('takes the unit of a measure from its field', () => {
  expect(measureUnit({ condition: 'absence', measure: null })).toBe('s');
  expect(measureUnit({ condition: 'anomaly', measure: 'p95(duration_ms)' })).toBe('ms');
  expect(measureUnit({ condition: 'threshold', measure: 'count' })).toBe('plain');
  expect(measureUnit(null)).toBe('plain');
});
