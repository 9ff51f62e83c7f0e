// @vitest-environment jsdom
import { expect, it } from 'vitest';

import { escaped, SvgPen } from './svgpen';

it('escapes markup from log text', () => {
  const pen = new SvgPen(12);
  pen.text(1, 2, '</text><script>alert(1)</script>&"', { colour: 'red" onload="x' });
  pen.within(3, 4, { width: 5, height: 6 }, () => pen.rect(0, 0, 1, -1, 'blue', 0.5));
  pen.line(
    [
      { x: 0, y: 0 },
      { x: 1.2345, y: 2 },
    ],
    { colour: 'green', dash: [2, 3] },
  );
  const svg = pen.finish(10, 20, 'a"b', 'a <b>');
  const parsed = new DOMParser().parseFromString(svg, 'image/svg+xml');
  expect(parsed.querySelector('parsererror')).toBeNull();
  expect(parsed.querySelector('script')).toBeNull();
  expect(parsed.querySelector('text')?.textContent).toBe('</text><script>alert(1)</script>&"');
  expect(parsed.querySelector('title')?.textContent).toBe('a <b>');
  expect(parsed.querySelector('polyline')?.getAttribute('points')).toBe('0,0 1.23,2');
  expect(parsed.querySelector('g rect')?.getAttribute('height')).toBe('0');
});

it('replaces characters that XML cannot contain', () => {
  expect(escaped('a\u0000b\ud800c\uffff')).toBe('a\ufffdb\ufffdc\ufffd');
  expect(escaped('🌲')).toBe('🌲');
});
