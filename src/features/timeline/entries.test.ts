import { expect, it } from 'vitest';

import { asTime } from '../../base/time';
import type { TimelineLanes } from '../../state/timeline/lanes';
import { timelineData } from '../../state/timeline/timelinedata';
import { entriesOf, entryAt, seenOf } from './entries';

const wire = { start: '0', bucketNs: '1', series: [], total: 0, untimed: 0, fraction: 1 };
const data = timelineData('', { from: asTime(0n), to: asTime(1n) }, wire as never);
const series = (label: string | null, count: number) => ({
  key: `=${label}`,
  label,
  colour: label === null ? ('other' as const) : 0,
  counts: [count],
  total: count,
});
const lane = (label: string | null, ...counts: number[]) => ({
  label,
  series: counts.map((count, at) => series(['502', '404', null][at]!, count)),
  sums: [counts.reduce((sum, count) => sum + count, 0)],
  tallest: 100,
});
const lanes = (isLaned: boolean, ...all: ReturnType<typeof lane>[]): TimelineLanes => ({
  data,
  split: 'status',
  lanes: all,
  isLaned,
  fraction: 1,
});

it('a part of a bar is the value that it is split by, and all others are none', () => {
  const shown = lanes(false, lane(null, 50, 30, 20));
  expect(entriesOf(shown, 0, false).map(({ seen, count }) => [seen?.value, count])).toEqual([
    ['502', 50],
    ['404', 30],
    [undefined, 20],
  ]);
  // From the bottom up: the plot is 100 pixels high.
  expect([99, 40, 5, -20].map((px) => entryAt(shown, 0, px, 100, false))).toEqual([0, 1, 2, 2]);
  expect(entryAt(lanes(false, lane(null, 0, 0)), 0, 5, 100, false)).toBe(-1);
});

it('a lane is its source, unless lanes are places or patterns', () => {
  const shown = lanes(true, lane('a.log', 1), lane('b.log', 2), lane(null, 3));
  expect(entryAt(shown, 0, 45, 40, false)).toBe(1);
  const values = (areSources: boolean) =>
    entriesOf(shown, 0, areSources).map(({ seen }) => seen?.value ?? null);
  expect(values(true)).toEqual(['a.log', 'b.log', null]);
  expect(values(false)).toEqual([null, null, null]);
  const pinned = { ...shown, lanes: [{ ...shown.lanes[0]!, isPinned: true }] };
  expect(entriesOf(pinned, 0, true)[0]!.seen).toBeNull();
});

it('events without a level have no value', () => {
  expect(seenOf('level', 'none')).toBeNull();
  expect(seenOf('state', 'none')).toEqual({ field: 'state', value: 'none' });
});
