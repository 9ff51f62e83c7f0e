import { expect, it } from 'vitest';

import { Clock } from '../../base/zone';
import type { Nanos, Seismograph, SeismographRow } from '../../ipc/generated';
import {
  binsRange,
  changesOf,
  EMPTY,
  LESS,
  MORE,
  seismographData,
  shadeOf,
  USUAL,
  withNames,
} from '../../state/patterns/seismographdata';
import type { Palette } from '../plot/palette';
import { SvgPen } from '../plot/svgpen';
import {
  AXIS_PX,
  flagsOf,
  paintMarks,
  paintSeismograph,
  RIGHT_PX,
  visibleRows,
  type SeismographLayout,
} from './seismographpaint';

const MINUTE = 60_000_000_000n;

const palette: Palette = {
  series: ['teal', 'orange'],
  levels: {} as Palette['levels'],
  other: 'silver',
  missing: 'gray',
  heat: ['heat0', 'heat1', 'heat2', 'heat3', 'heat4'],
  ground: 'white',
  line: 'lightgray',
  lineStrong: 'dimgray',
  text: 'black',
  strong: 'black',
  accent: 'blue',
  marker: 'brown',
  fontFamily: 'sans-serif',
  fontSize: '11px',
};

function row(id: string, counts: number[], part: Partial<SeismographRow> = {}): SeismographRow {
  return {
    id,
    text: `pattern ${id}`,
    count: counts.reduce((sum, count) => sum + count, 0),
    levels: [],
    counts,
    normal: { median: 4, spread: 2 },
    started: null,
    stopped: null,
    periodNs: null,
    ...part,
  };
}

const answer = (rows: SeismographRow[], all: number[]): Seismograph => ({
  revision: 1,
  rows,
  distinct: rows.length,
  total: 10,
  without: 0,
  start: '0' as Nanos,
  binNs: String(MINUTE) as Nanos,
  all,
  elapsedMs: 1,
});

const layout: SeismographLayout = {
  labelPx: 100,
  widthPx: 100 + 60 + RIGHT_PX,
  heightPx: 60 + AXIS_PX,
  rowPx: 20,
  scrollPx: 0,
};

function painted(rows: SeismographRow[], part: Partial<SeismographLayout> = {}): string {
  const pen = new SvgPen(11);
  const all = rows[0]?.counts.map(() => 9) ?? [];
  paintSeismograph(pen, {
    ...layout,
    ...part,
    data: seismographData(answer(rows, all), null),
    clock: new Clock('UTC'),
    palette,
    pinned: new Set(),
  });
  return pen.finish(172, 84, 'sans-serif', 'seismograph');
}

/** The rectangles of a colour as [x, y, width, height]. */
function rects(svg: string, colour: string): number[][] {
  const pattern = /<rect x="([^"]+)" y="([^"]+)" width="([^"]+)" height="([^"]+)" fill="([^"]+)"/g;
  return [...svg.matchAll(pattern)]
    .filter((match) => match[5] === colour)
    .map((match) => match.slice(1, 5).map(Number));
}

it('shades cells by how far they are from what is normal for their row', () => {
  const shade = (count: number, median = 4, spread = 2, all = 9) =>
    shadeOf({ normal: { median, spread } }, count, all);
  expect([4, 7, 8, 12, 20, 36, 900].map((count) => shade(count))).toEqual([
    USUAL,
    USUAL,
    MORE,
    MORE + 1,
    MORE + 2,
    MORE + 3,
    MORE + 3,
  ]);
  expect(shade(0)).toBe(LESS);
  expect(shade(0, 8, 2)).toBe(LESS + 1);
  // A rare pattern is not missed, and where nothing happens nothing is unusual.
  expect(shade(0, 1, 1)).toBe(EMPTY);
  expect(shade(0, 4, 2, 0)).toBe(EMPTY);
});

it('paints neighbours of one shade as one rectangle, and nothing for empty cells', () => {
  const svg = painted([row('a', [4, 5, 40, 0, 0, 0])]);
  expect(rects(svg, 'heat0')).toEqual([[0, 0, 20, 19]]);
  expect(rects(svg, 'heat4')).toEqual([[20, 0, 10, 19]]);
  expect(rects(svg, 'orange')).toEqual([[30, 0, 30, 19]]);
});

it('paints the visible rows only', () => {
  const rows = Array.from({ length: 500 }, (_, at) => row(String(at), [4]));
  expect(visibleRows(500, layout)).toEqual([0, 3]);
  expect(visibleRows(500, { ...layout, scrollPx: 9_950 })).toEqual([497, 500]);
  const wide = { labelPx: 200, widthPx: 200 + 60 + RIGHT_PX };
  const svg = painted(rows, { scrollPx: 4_010, ...wide });
  expect(rects(svg, 'heat0').length).toBe(4);
  expect([...svg.matchAll(/>pattern (\d+)</g)].map((match) => match[1])).toEqual([
    '200',
    '201',
    '202',
    '203',
  ]);
});

it('shortens a label that has no room, with an ellipsis', () => {
  const text = 'connection to the database was refused after 30 seconds';
  const svg = painted([row('a', [4], { text })], { labelPx: 160, widthPx: 160 + 60 + RIGHT_PX });
  expect(svg).toMatch(/>connection[^<]*…[^<]*seconds</);
  expect(svg).not.toContain(text);
});

it('says what starts, stops and repeats, and marks when', () => {
  const changed = row('a', [4, 4, 4], {
    started: String(MINUTE) as Nanos,
    stopped: String(2n * MINUTE) as Nanos,
    periodNs: String(90_000_000_000n) as Nanos,
  });
  expect(flagsOf(changed)).toBe('starts, stops, every 1 min 30 s');
  expect(changesOf([changed, row('b', [1])])).toEqual({ starts: 1, stops: 1, beats: 1 });
  expect(rects(painted([changed]), 'brown').map(([x]) => x)).toEqual([19, 39]);
});

it('cuts the times of bins to those of the picture', () => {
  const data = seismographData(answer([row('a', [1, 2, 3])], [1, 1, 1]), {
    from: 30_000_000_000n,
    to: 150_000_000_000n,
  } as never);
  expect(binsRange(data, 0, 0)).toEqual({ from: 30_000_000_000n, to: 60_000_000_000n });
  expect(binsRange(data, 1, 2)).toEqual({ from: 60_000_000_000n, to: 150_000_000_000n });
});

it('marks cell and selection at the place of the scrolled rows', () => {
  const pen = new SvgPen(11);
  const data = seismographData(answer([row('a', [1, 2, 3]), row('b', [1, 2, 3])], [1, 1, 1]), null);
  const marks = { hovered: null, cursor: { row: 1, column: 1 }, selection: { first: 1, last: 2 } };
  paintMarks(pen, palette, { ...layout, data, ...marks, scrollPx: 5 });
  const svg = pen.finish(172, 84, 'sans-serif', 'marks');
  expect(rects(svg, 'blue')).toContainEqual([20, 0, 40, 60]);
  expect(rects(svg, 'blue')).toContainEqual([0, 15, 60, 20]);
});

it('labels rows with names, and leaves out hidden ones with their cells', () => {
  const rows = [row('a', [40, 0], { text: 'job <num>' }), row('b', [4, 4]), row('c', [40, 40])];
  const data = seismographData(answer(rows, [1, 1]), null);
  const nameOf = (id: string) => (id === 'a' ? 'Job done' : null);
  const found = withNames(data, nameOf, (id) => id !== 'b');
  expect(found.rows.map(({ id, name }) => [id, name])).toEqual([
    ['a', 'Job done'],
    ['c', null],
  ]);
  expect([...found.shades]).toEqual([...data.shades.slice(0, 2), ...data.shades.slice(4)]);
  expect(withNames(data, nameOf).rows).toHaveLength(3);
  const pen = new SvgPen(11);
  const sizes = { labelPx: 200, widthPx: 200 + 60 + RIGHT_PX };
  paintSeismograph(pen, {
    ...layout,
    ...sizes,
    data: found,
    clock: new Clock('UTC'),
    palette,
    pinned: new Set(),
  });
  const svg = pen.finish(272, 84, 'sans-serif', 'names');
  expect(svg).toContain('>Job done<');
  expect(svg).not.toContain('job &lt;num');
});
