import { expect, it } from 'vitest';

import { dropZones, targetAt } from './droptargets';

it('gives every position of the window exactly one target', () => {
  for (const [hasCase, readOnly] of [
    [false, false],
    [true, false],
    [true, true],
  ] as const) {
    const zones = dropZones(hasCase, readOnly);
    const counts = new Set<number>();
    for (let x = 0.005; x < 1; x += 0.01) {
      for (let y = 0.005; y < 1; y += 0.01) {
        const at = zones.filter(
          (zone) => x >= zone.left && x < zone.right && y >= zone.top && y < zone.bottom,
        );
        counts.add(at.length);
      }
    }
    expect([...counts]).toEqual([1]);
  }
});

it('uses the middle for the most common action, and covers the edges of the window', () => {
  expect(targetAt(dropZones(false, false), 0.5, 0.5)).toBe('new');
  expect(targetAt(dropZones(true, false), 0.5, 0.4)).toBe('here');
  expect(targetAt(dropZones(true, false), 0, 0)).toBe('new');
  expect(targetAt(dropZones(true, false), 1, 0)).toBe('newWindow');
  expect(targetAt(dropZones(true, false), 1, 1)).toBe('look');
  expect(targetAt(dropZones(true, false), 2, -1)).toBe('newWindow');
});

it('adds nothing to a read-only case', () => {
  expect(dropZones(true, true).map(({ target }) => target)).not.toContain('here');
});
