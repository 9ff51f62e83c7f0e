import { expect, it } from 'vitest';

import type { DetectorLevel, MeasurePoints } from '../../ipc/generated';
import { asTime } from '../../base/time';
import { Clock } from '../../base/zone';
import type { Palette } from '../plot/palette';
import type { Pen } from '../plot/pen';
import { TimeScale } from '../plot/timescale';
import { measureScale, paintMeasure } from './paintmeasure';

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

it('has room for the level at which an alert ends', () => {
  const ends = { ...level(8, 'below'), clear: 20 };
  expect(px(20, ends)).toBeLessThanOrEqual(300);
});

it('shows a level of a measure without values', () => {
  expect(measureScale([], level(7), 300, 'plain').scale.toPx(7)).toBeLessThanOrEqual(300);
});

it('draws the level at which an alert ends, if it is another one', () => {
  const linesAt = (clear: number | null) => {
    const found: number[] = [];
    const pen = {
      within: (_x: number, _y: number, _size: unknown, draw: () => void) => draw(),
      line: (points: { y: number }[], { dash }: { dash?: number[] }) => {
        if (dash !== undefined) found.push(points[0]!.y);
      },
      rect: () => {},
      text: () => {},
      textWidth: () => 10,
    } as unknown as Pen;
    const { scale: values, most } = measureScale([points], level(8), 300, 'plain');
    paintMeasure(pen, {
      groups: [points],
      colours: [0],
      level: { ...level(8), clear },
      spans: [],
      truth: [],
      scale: new TimeScale({ from: asTime(0n), to: asTime(1_000n) }, 100),
      values,
      most,
      unit: 'plain',
      clock: new Clock('UTC'),
      palette: { series: ['red'] } as unknown as Palette,
      heightPx: 330,
      severity: 'red',
    });
    return found;
  };
  const [ends, starts] = linesAt(2);
  expect(ends).toBeGreaterThan(starts!);
  expect(linesAt(8)).toEqual([starts]);
  expect(linesAt(null)).toEqual([starts]);
});
