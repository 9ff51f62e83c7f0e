/** Charts use the zone of the view: on their axes, in their tables and in their summaries. */
import { expect, it } from 'vitest';

import { asTime, HOUR, parseTime } from '../../base/time';
import { Clock } from '../../base/zone';
import type { TimeData } from '../../state/charts/chartdata';
import { csvOf } from '../../state/charts/csv';
import { numbersOf } from '../../state/charts/datatable';
import { summaryOf } from '../../state/charts/summary';
import { formatColumn } from './formatcolumn';
import { paintChart } from './paint';
import type { Palette } from '../plot/palette';
import { SvgPen } from '../plot/svgpen';

const FROM = parseTime('2026-03-01 22:00')!;
const HOURS = 4;

const data: TimeData = {
  shape: 'time',
  meta: {
    total: 10,
    untimed: 0,
    missing: 0,
    mistyped: 0,
    fraction: 1,
    elapsedMs: 1,
    notes: [],
  },
  edges: Array.from({ length: HOURS + 1 }, (_, at) => asTime(FROM + BigInt(at) * HOUR)),
  domain: { from: FROM, to: asTime(FROM + BigInt(HOURS) * HOUR) },
  series: [
    {
      id: 'count',
      name: 'Count',
      colour: 0,
      values: [1, 2, 4, 3],
      whole: 10,
      before: null,
      filter: null,
    },
  ],
  unit: 'plain',
  scale: 'linear',
  stacked: true,
  before: null,
};

const palette: Palette = {
  series: ['blue'],
  levels: {} as Palette['levels'],
  other: 'grey',
  missing: 'grey',
  heat: [],
  ground: 'white',
  line: 'grey',
  lineStrong: 'grey',
  text: 'black',
  strong: 'black',
  accent: 'blue',
  marker: 'red',
  fontFamily: 'sans-serif',
  fontSize: '11px',
};

function axisIn(zone: string): string[] {
  const pen = new SvgPen(12);
  const size = { widthPx: 900, heightPx: 300 };
  paintChart(pen, { ...size, data, palette, hidden: [], clock: new Clock(zone) });
  const svg = pen.finish(900, 300, 'sans-serif', 'x');
  return [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text!);
}

it('on the axis, where the day begins at midnight of the zone', () => {
  // The first and the last label of the same four hours.
  const ends = (zone: string) => {
    const times = axisIn(zone).filter((label) => !/^\d$/.test(label));
    return [times[0], times.at(-1)];
  };
  expect(ends('UTC')).toEqual(['22:00', '01:00']);
  expect(ends('Europe/Berlin')).toEqual(['23:00', '02:00']);
  // In Berlin the second hour begins a day, and in UTC the third.
  const dayAt = (zone: string) =>
    axisIn(zone)
      .filter((label) => label.length > 2)
      .findIndex((label) => !label.includes(':'));
  expect([dayAt('Europe/Berlin'), dayAt('UTC')]).toEqual([1, 2]);
});

it('in the data table, while a file stays in UTC and says so', () => {
  const numbers = numbersOf(data);
  const first = numbers.rows[0]![0] ?? null;
  const shown = (zone: string) => formatColumn([first], 'time', new Clock(zone))[0];
  expect(shown('UTC')).toBe('2026-03-01 22:00');
  expect(shown('Europe/Berlin')).toBe('2026-03-01 23:00');
  expect(shown('Asia/Kolkata')).toBe('2026-03-02 03:30');
  expect(csvOf(numbers)).toContain('2026-03-01T22:00:00Z,1');
});

it('in the summary for screen readers', () => {
  const summary = summaryOf(data, new Clock('Europe/Berlin'));
  expect(summary).toContain('2026-03-01 23:00');
  expect(summary).toContain('2026-03-02 03:00');
  expect(summary).not.toContain('22:00');
});
