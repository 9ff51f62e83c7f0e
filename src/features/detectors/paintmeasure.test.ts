import { expect, it } from 'vitest';

import type { DetectorLevel, MeasurePoints } from '../../ipc/generated';
import { measureScale } from './paintmeasure';

const points: MeasurePoints = {
  group: [],
  events: 3,
  low: [0, null],
  high: [10, null],
  expected: [],
  deviation: [],
  basis: null,
};
const level = (value: number, kind: DetectorLevel['kind'] = 'above'): DetectorLevel => ({
  kind,
  value,
  clear: null,
  up: true,
  down: false,
});
const px = (value: number, of: DetectorLevel | null) =>
  measureScale([points], of, 300, 'plain').scale.toPx(value);

it('has room for a level beyond the values', () => {
  expect(px(25, level(25))).toBeLessThanOrEqual(300);
  expect(px(10, level(25))).toBeGreaterThan(90);
});

it('does not press the values flat for a level far beyond them', () => {
  expect(px(10, level(1_000))).toBeGreaterThan(180);
  expect(px(1_000, level(1_000))).toBeGreaterThan(300);
  // Of deviations the level is no value of the measure.
  expect(px(10, level(25, 'deviations'))).toBeGreaterThan(180);
  expect(px(10, null)).toBe(300);
});

it('shows a level of a measure without values', () => {
  expect(measureScale([], level(7), 300, 'plain').scale.toPx(7)).toBeLessThanOrEqual(300);
});
