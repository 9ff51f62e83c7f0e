import { expect, it } from 'vitest';

import type { CurvePoint } from '../../ipc/generated';
import { curveOfTable, curvePicture, pointAt } from './curve';

const point = (quantile: number, difference: number, band: number | null): CurvePoint => ({
  quantile,
  a: 100,
  b: 100 + difference,
  low: band === null ? null : 100 + difference - band,
  high: band === null ? null : 100 + difference + band,
});
const points = [point(0.01, 0, null), point(0.5, 40, 10), point(0.99, 100, null)];
const size = { widthPx: 200, heightPx: 116 };

it('draws the differences with a band that reaches the edge where it has no bound', () => {
  const picture = curvePicture(points, size)!;
  // From 0 to 100, with room above and below.
  expect([picture.most, picture.least]).toEqual([108, -8]);
  expect(picture.line).toBe('M2.0 108.0L100.0 68.0L198.0 8.0');
  expect(picture.band).toBe('M2.0 0.0L100.0 58.0L198.0 0.0L198.0 116.0L100.0 78.0L2.0 116.0Z');
  expect(picture.zeroPx).toBe(108);
  expect(pointAt(points, picture, 120)?.quantile).toBe(0.5);
  expect(curvePicture([], size)).toBeNull();
  // Nothing moved.
  const flat = curvePicture([point(0.1, 0, null), point(0.9, 0, null)], size)!;
  expect([flat.most, flat.least, flat.zeroPx]).toEqual([1, -1, 58]);
});

it('reads the table of the stage', () => {
  const columns = ['quantile', 'a', 'b', 'difference', 'low', 'high'].map((name) => ({ name }));
  expect(
    curveOfTable(columns, [
      [0.01, 100, 100, 0, null, null],
      [0.5, 100, 140, 40, 30, 50],
      [0.99, 100, 200, 100, null, null],
    ]),
  ).toEqual(points);
  expect(curveOfTable(columns.slice(1), [])).toBeNull();
});
