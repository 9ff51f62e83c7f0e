import { expect, it, test } from 'vitest';

import { asTime } from '../../base/time';
import { Clock } from '../../base/zone';
import type { BinsData, TimeData } from '../../state/charts/chartdata';
import { MARGIN_PX } from '../plot/axes';
import { paintChart } from './paint';
import type { Palette } from '../plot/palette';
import { SvgPen } from '../plot/svgpen';

const MINUTE = 60_000_000_000n;
const edges = (from: number) =>
  Array.from({ length: 4 }, (_, at) => asTime(BigInt(from + at) * MINUTE));

/** Two values with a missing one between them, now and in the previous period. */
const sparse: TimeData = {
  shape: 'time',
  meta: { total: 4, untimed: 0, missing: 0, mistyped: 0, fraction: 1, elapsedMs: 1, notes: [] },
  edges: edges(0),
  domain: { from: asTime(0n), to: asTime(3n * MINUTE) },
  series: [
    {
      id: 'p50',
      name: 'p50',
      colour: 0,
      values: [10, null, 10],
      whole: 10,
      before: { values: [5, null, 5], whole: 5 },
      filter: null,
    },
  ],
  unit: 'plain',
  scale: 'linear',
  stacked: false,
  before: { edges: edges(0), shift: 0n },
};

const palette = new Proxy({} as Palette, {
  get: (_, name) => (name === 'series' ? ['teal'] : 'black'),
});

it('shows isolated values, also those of the previous period', () => {
  const pen = new SvgPen(12);
  const clock = new Clock('UTC');
  paintChart(pen, { data: sparse, hidden: [], widthPx: 400, heightPx: 200, palette, clock });
  const svg = pen.finish(400, 200, 'sans', 'sparse');
  expect(svg.match(/fill="teal"/g)).toHaveLength(4);
});

test.each([
  ['open', 4, 0, false],
  ['joined', 0, 2, false],
  ['zero', 0, 2, true],
] as const)('gaps that are %s are %i dots and %i lines', (gaps, dots, lines, hasZero) => {
  const pen = new SvgPen(12);
  const clock = new Clock('UTC');
  const data = { ...sparse, gaps };
  paintChart(pen, { data, hidden: [], widthPx: 400, heightPx: 200, palette, clock });
  const svg = pen.finish(400, 200, 'sans', 'sparse');
  expect(svg.match(/fill="teal"/g) ?? []).toHaveLength(dots);
  const drawn = [...svg.matchAll(/<polyline points="([^"]*)"[^>]*stroke="teal"/g)];
  expect(drawn).toHaveLength(lines);
  const bottomPx = 200 - MARGIN_PX.top - MARGIN_PX.bottom;
  const ends = drawn.map(([, points]) => points!.split(' ').map((point) => point.split(',')[1]));
  expect(ends.every((heights) => heights.includes(String(bottomPx)) === hasZero)).toBe(true);
});

it('keeps the labels of percentiles inside the histogram', () => {
  const meta = sparse.meta;
  const histogram: BinsData = {
    shape: 'bins',
    meta,
    field: 'took',
    bins: [0, 50, 100],
    series: [{ ...sparse.series[0]!, values: [9, 1], before: null }],
    marks: [
      { name: 'p50', value: 10 },
      { name: 'p99', value: 99 },
    ],
    unit: 'plain',
    scale: 'linear',
  };
  const pen = new SvgPen(12);
  const clock = new Clock('UTC');
  paintChart(pen, { data: histogram, hidden: [], widthPx: 400, heightPx: 200, palette, clock });
  const svg = pen.finish(400, 200, 'sans', 'took');
  const labels = [...svg.matchAll(/<text x="([\d.]+)"[^>]*text-anchor="(\w+)"[^>]*>(p\d+ \d+)</g)];
  expect(labels.map(([, , anchor, label]) => [label, anchor])).toEqual([
    ['p50 10', 'start'],
    ['p99 99', 'end'],
  ]);
  const rightPx = 400 - MARGIN_PX.left - MARGIN_PX.right;
  expect(labels.every(([, x]) => Number(x) <= rightPx)).toBe(true);
});
