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

test.each([
  ['a card of a board', 420],
  ['a narrow pane', 180],
  ['hardly any room', 90],
])('labels of a histogram stay inside in %s', (_, widthPx) => {
  for (const scale of ['linear', 'logarithmic'] as const) {
    for (const [bins, values] of [
      [
        [0.001, 1, 86_400_000],
        [0.001, 0.001, 86_400_000],
      ],
      [
        [1e-9, 1e-3, 1e12],
        [1e12, 1e12, 1e12],
      ],
      [
        [-5, 0, 1234.5678],
        [-5, 1234, 1234.5],
      ],
    ] as const) {
      const data: BinsData = {
        shape: 'bins',
        meta: sparse.meta,
        field: 'x'.repeat(100_000),
        bins,
        series: [{ ...sparse.series[0]!, values: [1234567, 1], before: null }],
        marks: values.map((value, at) => ({ name: ['p50', 'p95', 'p99'][at]!, value })),
        unit: 'ms',
        scale,
      };
      const pen = new SvgPen(12);
      const clock = new Clock('UTC');
      paintChart(pen, { data, hidden: [], widthPx, heightPx: 200, palette, clock });
      const svg = pen.finish(widthPx, 200, 'sans', 'x');
      for (const [, x, anchor, text] of svg.matchAll(
        /<text x="([-\d.]+)"[^>]*text-anchor="(\w+)"[^>]*>([^<]*)</g,
      )) {
        const length = pen.textWidth(text!.replaceAll(/&\w+;/g, '_'));
        const left = Number(x) - { start: 0, middle: 0.5, end: 1 }[anchor!]! * length;
        const label = `${text!.slice(0, 20)} at ${left} in ${widthPx}`;
        expect(left, label).toBeGreaterThanOrEqual(-MARGIN_PX.left);
        expect(left + length, label).toBeLessThanOrEqual(widthPx - MARGIN_PX.left);
      }
    }
  }
});
