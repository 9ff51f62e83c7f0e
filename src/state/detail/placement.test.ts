import { describe, expect, test } from 'vitest';

import { extentAt, placeFor, sizeAt } from './placement';

const room = (widthPx: number, heightPx: number) => ({ widthPx, heightPx });

/** A row of the list in pixels, at normal density. */
const ROW_PX = 24;

describe('the placement of the detail', () => {
  test('leaves fourteen rows in a window of 1280 × 800', () => {
    // What header, timeline, first look, tabs, list tools, column heads, status line and import leave.
    const space = room(1280 - 232, 800 - 45 - 161 - 30 - 31 - 33 - 27 - 28 - 33);
    expect(placeFor(null, space)).toBe('right');
    expect(Math.floor(space.heightPx / ROW_PX)).toBeGreaterThanOrEqual(14);
  });

  test.each([
    ['the smallest window with fields', room(792, 360), 'below'],
    ['a small window with fields', room(1048, 390), 'right'],
    ['a narrow window', room(900, 450), 'below'],
    ['a small window without fields', room(1280, 450), 'right'],
    ['a narrow room that is low', room(792, 200), 'right'],
    ['a large window', room(2328, 1100), 'right'],
  ] as const)('%s', (_, space, place) => {
    expect(placeFor(null, space)).toBe(place);
  });

  test('is where a person put it, in any window', () => {
    expect(placeFor('right', room(600, 300))).toBe('right');
    expect(placeFor('below', room(2400, 1200))).toBe('below');
  });
});

describe('the size of the detail', () => {
  test('is at least 320 pixels wide on the right', () => {
    for (const chosenPx of [null, 100])
      expect(sizeAt('right', chosenPx, room(700, 450))).toBeGreaterThanOrEqual(320);
  });

  test('leaves the list the larger part by default', () => {
    for (const space of [room(792, 360), room(1280, 450), room(2328, 1100)]) {
      expect(sizeAt('right', null, space)).toBeLessThan(space.widthPx / 2);
      expect(sizeAt('below', null, space)).toBeLessThan(space.heightPx / 2);
    }
  });

  test('keeps a chosen size, as far as the window allows', () => {
    expect(sizeAt('right', 500, room(1400, 600))).toBe(500);
    expect(sizeAt('right', 5000, room(1400, 600))).toBe(840);
    expect(sizeAt('below', 5000, room(1400, 600))).toBe(450);
    expect(sizeAt('below', 1, room(1400, 600))).toBe(extentAt('below', room(1400, 600)).leastPx);
  });

  test('never takes all of a low window', () => {
    expect(sizeAt('below', null, room(1000, 160))).toBe(80);
    expect(sizeAt('below', 400, room(1000, 160))).toBe(80);
  });

  test('is never narrower than readable, even before anything is measured', () => {
    expect(sizeAt('right', null, room(0, 0))).toBeGreaterThan(200);
  });
});
