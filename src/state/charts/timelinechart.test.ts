import { expect, test } from 'vitest';

import type { Timeline } from '../../ipc/generated';
import { chartOfTimeline } from './timelinechart';

const timeline = (series: Timeline['series']): Timeline =>
  ({
    start: '60000000000',
    bucketNs: '60000000000',
    series,
    total: 9,
    untimed: 1,
    fraction: 1,
    elapsedMs: 1,
  }) as Timeline;

test('each bucket has both its edges, and the most severe level is at the bottom', () => {
  const data = chartOfTimeline(
    timeline([
      { level: 'info', counts: [1, 2] },
      { level: 'error', counts: [5] },
    ]),
  );
  expect(data.edges.map(Number)).toEqual([60e9, 120e9, 180e9]);
  expect(data.domain).toEqual({ from: data.edges[0], to: data.edges[2] });
  expect(data.series.map(({ id, whole }) => [id, whole])).toEqual([
    ['error', 5],
    ['info', 3],
  ]);
  expect(data.meta.untimed).toBe(1);
});

test('no data makes a chart without buckets', () => {
  const data = chartOfTimeline(timeline([]));
  expect(data.series).toEqual([]);
  expect(data.domain.from).toBe(data.domain.to);
});
