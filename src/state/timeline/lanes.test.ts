import { expect, it } from 'vitest';

import { asTime } from '../../base/time';
import type { Aggregate, Axis, Nanos, Timeline } from '../../ipc/generated';
import { coloursOf } from '../charts/valuecolours';
import { axesOf, levelLanes, lanesOf, withPinned } from './lanes';
import { timelineData } from './timelinedata';

const wire: Timeline = {
  revision: 1,
  start: '0' as Nanos,
  bucketNs: '10' as Nanos,
  series: [
    { level: 'info', counts: [3, 0, 2] },
    { level: 'error', counts: [1, 0, 4] },
  ],
  total: 10,
  untimed: 0,
  fraction: 1,
  elapsedMs: 1,
};
const data = timelineData('k', null, wire);
const terms = (field: string, ...values: string[]): Axis => ({
  kind: 'terms',
  field,
  values: values.map((text) => ({ kind: 'text', text, number: null })),
  distinct: values.length,
});
const time: Axis = { kind: 'time', edges: ['0', '10', '20', '30'] as Nanos[] };
const answer = (axes: Axis[], counts: number[]): Aggregate => ({
  revision: 1,
  axes,
  counts,
  measured: [],
  total: 10,
  untimed: 0,
  fraction: 1,
  elapsedMs: 1,
});
const choice = (split: string, lanes = false) => ({
  split,
  lanes,
  scale: 'linear' as const,
  widthNs: null,
  folded: false,
  pinned: [],
});
const shape = (all: readonly { label: string | null; counts: readonly number[] }[]) =>
  all.map(({ label, counts }) => [label, ...counts]);

it('stacks levels with the most severe at the bottom', () => {
  expect(shape(levelLanes(data).lanes[0]!.series)).toEqual([
    ['error', 1, 0, 4],
    ['info', 3, 0, 2],
  ]);
});

it('has a series for other values and for missing values', () => {
  const counts = [2, 1, 1, 0, 0, 0, 0, 0, 1, 1, 0, 4];
  const found = lanesOf(data, choice('host'), answer([time, terms('host', 'a', 'b')], counts))!;
  expect(shape(found.lanes[0]!.series)).toEqual([
    ['a', 2, 0, 1],
    ['b', 1, 0, 1],
    [null, 1, 0, 0],
    [null, 0, 0, 4],
  ]);
  expect(found.lanes[0]!.series.map(({ colour }) => colour)).toEqual([
    ...coloursOf('host', ['a', 'b']),
    'other',
    'missing',
  ]);
  expect(found.lanes[0]).toMatchObject({ sums: [4, 0, 6], tallest: 6 });
});

it('gives a lane to each source, and one to the others if they have events', () => {
  const axes = [time, terms('source', 'x'), terms('level', 'info', 'error')];
  // For each bucket the lanes x, others and none, and in each info, error, other levels and none.
  const first = [1, 2, 0, 3, 0, 1, 0, 0, 0, 0, 0, 0];
  const found = lanesOf(data, choice('level', true), answer(axes, first))!;
  expect(found.lanes.map(({ label, sums }) => [label, ...sums])).toEqual([
    ['x', 6, 0, 0],
    [null, 1, 0, 0],
  ]);
  expect(found.lanes[0]!.series.map(({ colour }) => colour)).toEqual([
    'error',
    'info',
    'other',
    'none',
  ]);
});

it('ignores counts beyond the timeline, and answers with other axes', () => {
  const later: Axis = { kind: 'time', edges: ['20', '30', '40'] as Nanos[] };
  const counts = [5, 0, 0, 9, 0, 0];
  const found = lanesOf(data, choice('host'), answer([later, terms('host', 'a')], counts))!;
  expect(shape(found.lanes[0]!.series)[0]).toEqual(['a', 0, 0, 5]);
  expect(lanesOf(data, choice('host'), answer([time], [1, 2, 3]))).toBeNull();
});

it('puts the lanes of pinned patterns below the others, empty until they are counted again', () => {
  const shown = levelLanes(data);
  const lane = { ...shown.lanes[0]!, label: 'worker started', isPinned: true };
  expect(withPinned(shown, null, 'all')).toBe(shown);
  const both = withPinned(shown, { data, lanes: [lane] }, 'all');
  expect(both.isLaned).toBe(true);
  expect(both.lanes.map(({ label }) => label)).toEqual(['all', 'worker started']);
  expect(both.lanes[1]).toBe(lane);
  const moved = { ...data, start: asTime(data.start + 1n) };
  const [, empty] = withPinned(shown, { data: moved, lanes: [lane] }, 'all').lanes;
  expect(empty).toMatchObject({ label: 'worker started', tallest: 0, series: [] });
  expect(empty!.sums).toHaveLength(data.buckets);
});

it('gives the case and each cluster that it is shown with a lane', () => {
  const { start, bucketNs, total, untimed } = wire;
  const counted = { start, bucketNs, total, untimed };
  const own = { ...counted, remote: null, series: [{ level: 'info' as const, counts: [3, 0, 1] }] };
  const prod = {
    ...counted,
    remote: 'prod',
    series: [
      { level: 'info' as const, counts: [0, 0, 1] },
      { level: 'error' as const, counts: [1, 0, 4] },
    ],
  };
  const shown = levelLanes(timelineData('k', null, { ...wire, lanes: [own, prod] }), 'case');
  expect(shown.isLaned).toBe(true);
  expect(shown.lanes.map(({ label, sums, tallest }) => [label, sums, tallest])).toEqual([
    ['case', [3, 0, 1], 3],
    ['prod', [1, 0, 5], 5],
  ]);
  expect(shown.lanes[1]!.series.map(({ key, total }) => [key, total])).toEqual([
    ['error', 5],
    ['info', 1],
  ]);
});

it('has a lane for each source, as many as an answer holds', () => {
  const lanesFor = (buckets: number) => {
    const counts = new Array<number>(buckets).fill(1);
    const series = [{ level: 'info' as const, counts }];
    const many = timelineData('k', null, { ...wire, series });
    const axis = axesOf(many, choice('level', true))[1];
    return axis?.kind === 'terms' ? axis.top : null;
  };
  expect(lanesFor(200)).toBe(200);
  expect(lanesFor(400)).toBe(129);
  expect(lanesFor(2_000)).toBe(24);
  expect(lanesFor(8_000)).toBe(8);
});
