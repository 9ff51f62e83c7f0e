import { describe, expect, it } from 'vitest';

import { SCROLL_CAP_PX, ScrollSpace } from './scrollspace';

const ROW = 24;
const VIEW = 600;

function space(rows: number) {
  const made = new ScrollSpace(ROW);
  made.resize(rows, VIEW);
  return made;
}

const HUGE = 100_000_000;

describe('a list that fits', () => {
  it('scrolls pixel by pixel', () => {
    const made = space(1000);
    expect(made.compressed).toBe(false);
    expect(made.heightPx).toBe(24_000);
    made.scrolled(37);
    expect([made.firstRow, made.offsetPx]).toEqual([1, 13]);
    made.scrolled(24_000 - VIEW);
    expect(made.lastRow).toBe(999);
  });

  it('has no rows and does not scroll when it is empty', () => {
    const made = space(0);
    expect([made.firstRow, made.lastRow, made.heightPx]).toEqual([0, -1, 0]);
    made.by(500);
    expect(made.scrollTop).toBe(0);
  });

  it('shows all of a short list', () => {
    const made = space(3);
    made.by(10);
    expect([made.firstRow, made.offsetPx, made.lastRow]).toEqual([0, 0, 2]);
  });
});

describe('a window that shrinks', () => {
  it('keeps the selected row in sight', () => {
    const made = space(1000);
    made.scrolled(2400);
    made.resize(1000, 200, 120);
    expect(made.lastRow).toBe(120);
    expect((made.lastRow + 1) * ROW - made.firstRow * ROW - made.offsetPx).toBe(200);
  });

  it('stays where it is if that row was not in sight', () => {
    const made = space(1000);
    made.scrolled(2400);
    made.resize(1000, 200, 900);
    made.resize(1000, 100, null);
    expect(made.firstRow).toBe(100);
  });
});

describe('a hundred million rows', () => {
  it('keeps the scrolled element under the cap', () => {
    expect(space(HUGE).heightPx).toBe(SCROLL_CAP_PX);
  });

  it('reaches both ends exactly by the scrollbar', () => {
    const made = space(HUGE);
    made.scrolled(SCROLL_CAP_PX - VIEW);
    expect(made.lastRow).toBe(HUGE - 1);
    expect((made.firstRow + VIEW / ROW) * ROW).toBe(HUGE * ROW);
    expect(made.offsetPx).toBe(0);
    made.scrolled(0);
    expect([made.firstRow, made.offsetPx]).toEqual([0, 0]);
  });

  it('reaches the end although the browser rounds the last pixel down', () => {
    const made = space(HUGE);
    made.scrolled(SCROLL_CAP_PX - VIEW - 0.6);
    expect(made.lastRow).toBe(HUGE - 1);
  });

  it('goes to the middle with the thumb', () => {
    const made = space(HUGE);
    made.scrolled((SCROLL_CAP_PX - VIEW) / 2);
    expect(Math.abs(made.firstRow - HUGE / 2)).toBeLessThan(VIEW);
  });

  it('moves by single rows anywhere, and a step back is exact', () => {
    const made = space(HUGE);
    for (const share of [0.1, 0.5, 0.999]) {
      made.scrolled(Math.round((SCROLL_CAP_PX - VIEW) * share));
      const [row, offset] = [made.firstRow, made.offsetPx];
      made.by(ROW);
      expect([made.firstRow, made.offsetPx]).toEqual([row + 1, offset]);
      made.by(-ROW);
      expect([made.firstRow, made.offsetPx]).toEqual([row, offset]);
    }
  });

  it('takes a small native scroll as pixels of the list', () => {
    const made = space(HUGE);
    made.scrolled(4_000_000);
    const before = made.firstRow * ROW + made.offsetPx;
    made.scrolled(made.scrollTop + 50);
    expect(made.firstRow * ROW + made.offsetPx).toBe(before + 50);
  });

  it('does not take its own scrollTop as a movement', () => {
    const made = space(HUGE);
    made.scrolled(4_000_000);
    const row = made.firstRow;
    expect(made.scrolled(made.scrollTop + 0.4)).toBe(false);
    expect(made.firstRow).toBe(row);
  });

  it('leaves room to scroll until the very end', () => {
    const made = space(HUGE);
    made.by(ROW);
    expect(made.scrollTop).toBeGreaterThan(0);
    made.scrolled(SCROLL_CAP_PX);
    made.by(-ROW);
    expect(made.lastRow).toBe(HUGE - 2);
    expect(made.scrollTop).toBeLessThan(SCROLL_CAP_PX - VIEW);
  });

  it('goes through the list row by row without missing one', () => {
    const made = space(HUGE);
    made.scrolled(SCROLL_CAP_PX);
    for (let step = 1; step <= 1000; step += 1) {
      made.reveal(made.firstRow - 1);
      expect(made.firstRow).toBe(HUGE - VIEW / ROW - step);
    }
  });
});

describe('reveal', () => {
  it('moves only as far as necessary', () => {
    const made = space(1000);
    made.reveal(10);
    expect(made.scrollTop).toBe(0);
    made.reveal(30);
    expect(made.scrollTop).toBe(31 * ROW - VIEW);
    made.reveal(2);
    expect(made.scrollTop).toBe(2 * ROW);
  });

  it('reaches the last row of a huge list', () => {
    const made = space(HUGE);
    made.reveal(HUGE - 1);
    expect(made.lastRow).toBe(HUGE - 1);
    expect(made.scrollTop).toBe(SCROLL_CAP_PX - VIEW);
  });
});

it('stays where it is while the list grows past the cap', () => {
  const made = space(1000);
  made.scrolled(12_000);
  made.resize(HUGE, VIEW);
  expect([made.firstRow, made.offsetPx]).toEqual([500, 0]);
  expect(made.scrollTop).toBeGreaterThan(0);
});

it('stays inside when the list shrinks', () => {
  const made = space(HUGE);
  made.reveal(HUGE - 1);
  made.resize(100, VIEW);
  expect(made.lastRow).toBe(99);
});

describe('rows of another height', () => {
  it.each([1000, HUGE])('keep the row at the top where it is, of %d', (rows) => {
    const made = space(rows);
    made.by(400 * ROW);
    made.rescale(100);
    expect([made.firstRow, made.offsetPx]).toEqual([400, 0]);
    made.rescale(19);
    expect([made.firstRow, made.offsetPx]).toEqual([400, 0]);
    made.scrolled(SCROLL_CAP_PX);
    expect(made.lastRow).toBe(rows - 1);
  });
});

describe('going to a row', () => {
  it('shows it with the rows before it, and does not move for one in sight', () => {
    const made = space(HUGE);
    made.goTo(HUGE - 500);
    expect(made.firstRow).toBe(HUGE - 500 - Math.floor(VIEW / ROW / 3));
    const before = made.firstRow;
    made.goTo(HUGE - 499);
    expect(made.firstRow).toBe(before);
    made.goTo(HUGE - 1);
    expect(made.lastRow).toBe(HUGE - 1);
  });
});

describe('the ends of a list', () => {
  it.each([1000, HUGE])('are known to be in sight, and reached (%i rows)', (rows) => {
    const made = space(rows);
    expect([made.isAtTop, made.isAtEnd]).toEqual([true, false]);
    made.toEnd();
    expect([made.isAtTop, made.isAtEnd, made.lastRow]).toEqual([false, true, rows - 1]);
    made.by(-2 * ROW);
    expect(made.isAtEnd).toBe(false);
    // More rows at the end do not move what is in sight.
    const { firstRow } = made;
    made.resize(rows + 500, VIEW);
    expect(made.firstRow).toBe(firstRow);
  });

  it('are both in sight where all rows are', () => {
    const made = space(3);
    expect([made.isAtTop, made.isAtEnd]).toEqual([true, true]);
  });
});
