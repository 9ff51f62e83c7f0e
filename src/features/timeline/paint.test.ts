import { expect, it } from 'vitest';

import { asTime } from '../../base/time';
import { Clock } from '../../base/zone';
import type { Nanos, Timeline } from '../../ipc/generated';
import { levelLanes, type TimelineLanes } from '../../state/timeline/lanes';
import { timelineData } from '../../state/timeline/timelinedata';
import type { Palette } from '../plot/palette';
import { SvgPen } from '../plot/svgpen';
import { FoldedScale } from '../plot/foldedscale';
import { TimeScale } from '../plot/timescale';
import { paintTimeline, type TimelinePicture } from './paint';

const MINUTE = 60_000_000_000n;
const PLOT_PX = { width: 300, height: 100 };

const wire: Timeline = {
  revision: 1,
  start: '0' as Nanos,
  bucketNs: String(MINUTE) as Nanos,
  series: [
    { level: 'info', counts: [99, 0, 50] },
    { level: 'error', counts: [1, 0, 0] },
  ],
  total: 150,
  untimed: 0,
  fraction: 1,
  elapsedMs: 1,
};
const lanes = levelLanes(timelineData('k', null, wire));

const palette: Palette = {
  series: ['teal'],
  levels: { info: 'green', error: 'red' } as Palette['levels'],
  other: 'silver',
  missing: 'gray',
  heat: [],
  ground: 'white',
  line: 'lightgray',
  lineStrong: 'dimgray',
  text: 'black',
  strong: 'black',
  accent: 'blue',
  marker: 'orange',
  fontFamily: 'sans-serif',
  fontSize: '11px',
};

function painted(part: Partial<TimelinePicture> = {}): string {
  const pen = new SvgPen(11);
  paintTimeline(pen, {
    lanes,
    isLogarithmic: false,
    isStrip: false,
    coverage: null,
    scale: new TimeScale({ from: asTime(0n), to: asTime(3n * MINUTE) }, PLOT_PX.width),
    clock: new Clock('UTC'),
    heightPx: PLOT_PX.height + 30,
    scrollPx: 0,
    palette,
    hovered: null,
    cursor: null,
    selection: null,
    pointed: null,
    selected: null,
    markers: [],
    restName: 'other sources',
    ...part,
  });
  return pen.finish(364, 130, 'sans-serif', 'timeline');
}

/** The rectangles of a colour as [x, y, width, height]. */
function rects(svg: string, colour: string): number[][] {
  const pattern = /<rect x="([^"]+)" y="([^"]+)" width="([^"]+)" height="([^"]+)" fill="([^"]+)"/g;
  return [...svg.matchAll(pattern)]
    .filter((match) => match[5] === colour)
    .map((match) => match.slice(1, 5).map(Number));
}

const labels = (svg: string) => [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map((match) => match[1]);

it('stacks the most severe level at the bottom, one pixel high if it is rare', () => {
  const svg = painted();
  expect(rects(svg, 'red')).toEqual([[0, 99, 99, 1]]);
  expect(rects(svg, 'green')).toEqual([
    [0, 0, 99, 99],
    [200, 50, 99, 50],
  ]);
});

it('splits a bar by share on a logarithmic scale too', () => {
  const [height] = [rects(painted({ isLogarithmic: true }), 'green')[1]![3]!];
  expect(height).toBeGreaterThan(80);
  expect(height).toBeLessThan(90);
});

it('shows where there are events, also those that the filter excludes', () => {
  expect(rects(painted(), 'dimgray').map(([x]) => x)).toEqual([0, 200]);
  const coverage = timelineData('all', null, {
    ...wire,
    series: [{ level: 'info', counts: [1, 1, 1] }],
  });
  expect(rects(painted({ coverage }), 'dimgray').map(([x]) => x)).toEqual([0, 100, 200]);
});

it('draws a strip without axes, over its whole width', () => {
  const svg = painted({ isStrip: true, heightPx: 25 });
  expect(labels(svg)).toEqual([]);
  expect(rects(svg, 'lightgray')).toEqual([]);
  const [first, last] = rects(svg, 'green');
  expect([first![0], last![0]]).toEqual([0, 200]);
  expect(first![3]).toBeCloseTo(19.8);
  expect(svg).toContain('translate(0 1)');
});

it('names each lane, and shortens a long name in its middle', () => {
  const [lane] = lanes.lanes;
  const laned: TimelineLanes = {
    ...lanes,
    isLaned: true,
    lanes: [
      { ...lane!, label: 'access-of-the-second-server-in-the-north.log' },
      { ...lane!, label: null },
    ],
  };
  const names = labels(painted({ lanes: laned }));
  expect(names).toContain('other sources');
  expect(names.some((name) => /^access.*….*\.log$/.test(name!))).toBe(true);
});

it('outlines the selection and draws markers over the bars', () => {
  const markers = [
    { id: 'm', label: 'deploy', from: asTime(MINUTE), to: asTime(2n * MINUTE) },
  ] as unknown as TimelinePicture['markers'];
  const svg = painted({ selection: { first: 0, last: 1 }, markers });
  expect(rects(svg, 'blue')).toEqual([
    [0, 0, 199, 100],
    [0, 0, 1.5, 100],
    [197.5, 0, 1.5, 100],
  ]);
  expect(rects(svg, 'orange')).toEqual([
    [100, 0, 100, 100],
    [100, 0, 1, 100],
  ]);
});

it('marks folded time with a break', () => {
  const range = { from: asTime(0n), to: asTime(3n * MINUTE) };
  const empty = { from: asTime(MINUTE), to: asTime(2n * MINUTE) };
  const broken = painted({ scale: new FoldedScale(range, PLOT_PX.width, [empty]) });
  expect(broken.match(/stroke-dasharray/g)).toHaveLength(2);
  expect(painted()).not.toContain('stroke-dasharray');
});

it('draws the lanes that are scrolled into view, each tall enough to read', () => {
  const many = Array.from({ length: 20 }, (_, at) => ({
    label: `host-${at}`,
    series: lanes.lanes[0]!.series,
    sums: lanes.lanes[0]!.sums,
    tallest: 100,
  }));
  const laned: TimelineLanes = { ...lanes, lanes: many, isLaned: true };
  const names = (scrollPx: number) =>
    [...painted({ lanes: laned, scrollPx }).matchAll(/host-\d+/g)].map(([name]) => name);
  expect(names(0)).toEqual(['host-0', 'host-1', 'host-2', 'host-3']);
  expect(names(420)).toEqual(['host-16', 'host-17', 'host-18', 'host-19']);
});
