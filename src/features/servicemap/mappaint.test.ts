import { expect, it } from 'vitest';

import { formatShare } from '../../base/format';
import type { Nanos } from '../../ipc/generated';
import type { Palette } from '../plot/palette';
import { SvgPen } from '../plot/svgpen';
import { layoutOf } from './maplayout';
import { paintMap, shareOf, shortSpan } from './mappaint';

const palette = {
  series: [],
  levels: { error: 'red' },
  other: 'silver',
  ground: 'white',
  line: 'lightgray',
  lineStrong: 'dimgray',
  text: 'black',
  strong: 'black',
  accent: 'blue',
} as unknown as Palette;

const map = {
  nodes: [
    { name: 'gateway', events: 100, ids: 50, errors: 0 },
    { name: '<script>', events: 50, ids: 50, errors: 25 },
    { name: null, events: 3, ids: 3, errors: 0 },
  ],
  edges: [
    { from: 0, to: 1, count: 50, p50Ns: '12345678' as Nanos, p95Ns: '9' as Nanos, errors: 25 },
    { from: 1, to: 2, count: 1, p50Ns: '0' as Nanos, p95Ns: '0' as Nanos, errors: 0 },
  ],
};

it('draws services with their errors and steps with count and median', () => {
  const pen = new SvgPen(12);
  const layout = layoutOf(map, 900);
  paintMap(pen, { map, layout, palette, pointed: null });
  const svg = pen.finish(layout.widthPx, layout.heightPx, 'sans-serif', 'map');
  expect(svg).toContain('>gateway<');
  expect(svg).toContain('>&lt;script&gt;<');
  expect(svg).toContain('>other services<');
  expect(svg).toContain('>50 events, 50% errors<');
  expect(svg).toContain('>50 · 12.3 ms<');
  // Half of the steps fail: the red line over the grey one is half as strong as it could be.
  expect(svg).toMatch(/stroke="red"[^>]*stroke-opacity="0\.6[23]?"/);
  expect(svg.match(/stroke="red"/g)).toHaveLength(1);
  expect(svg).not.toContain('stroke="blue"');
});

it('shows spans and shares as they are, without digits that rounding makes up', () => {
  expect(shortSpan('3432000000000')).toBe('57.2 min');
  expect(shortSpan('12345678')).toBe('12.3 ms');
  expect(shortSpan('0')).toBe('0');
  expect(formatShare(shareOf(2, 3))).toBe('67%');
});
