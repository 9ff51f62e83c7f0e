import { describe, expect, it } from 'vitest';

import { Brush } from './brush';

/** Ten buckets of 10 px, the first at 0. */
function brush(buckets = 10, offsetPx = 0) {
  const made = new Brush();
  made.layout(buckets, 10, offsetPx, 100);
  return made;
}

describe('dragging', () => {
  it('selects whole buckets, in either direction', () => {
    const right = brush();
    right.down(12);
    right.move(37);
    expect(right.selection).toEqual({ first: 1, last: 3 });
    expect(right.up(37)).toEqual({ first: 1, last: 3 });

    const left = brush();
    left.down(37);
    expect(left.up(12)).toEqual({ first: 1, last: 3 });
  });

  it('stays inside if the pointer leaves the plot', () => {
    const made = brush();
    made.down(50);
    expect(made.up(900)).toEqual({ first: 5, last: 9 });
    made.down(50);
    expect(made.up(-900)).toEqual({ first: 0, last: 5 });
  });

  it('treats a press that hardly moves as a click', () => {
    const made = brush();
    made.down(12);
    made.move(14);
    expect(made.selection).toBeNull();
    expect(made.up(14)).toBeNull();
    expect(made.cursor).toBe(1);
  });

  it('is still a drag if it returns to where it began', () => {
    const made = brush();
    made.down(12);
    made.move(60);
    expect(made.up(13)).toEqual({ first: 1, last: 1 });
  });

  it('is cancelled, and the release after it selects nothing', () => {
    const made = brush();
    made.down(12);
    made.move(60);
    expect(made.cancel()).toBe(true);
    expect(made.selection).toBeNull();
    made.move(80);
    expect(made.up(80)).toBeNull();
    expect(made.cancel()).toBe(false);
  });

  it('does nothing without buckets', () => {
    const made = brush(0);
    made.down(12);
    made.move(60);
    expect(made.selection).toBeNull();
    expect(made.up(60)).toBeNull();
  });

  it('handles buckets that begin left of the plot', () => {
    const made = brush(10, -25);
    expect(made.bucketAt(0)).toBe(2);
    expect(made.bucketAt(4)).toBe(2);
    expect(made.bucketAt(5)).toBe(3);
    expect(made.bucketAt(80)).toBeNull();
    expect(made.bucketAt(-1)).toBeNull();
  });
});

describe('keys', () => {
  it('enter from the side they move away from and stop at the ends', () => {
    const made = brush();
    made.step(1, false);
    expect(made.cursor).toBe(0);
    made.step(-1, false);
    expect(made.cursor).toBe(0);
    made.step(99, false);
    expect(made.cursor).toBe(9);
    made.cancel();
    made.step(-1, false);
    expect(made.cursor).toBe(9);
  });

  it('select with Shift and zoom with Enter', () => {
    const made = brush();
    made.step(3, false);
    made.step(1, true);
    made.step(1, true);
    expect(made.selection).toEqual({ first: 2, last: 4 });
    expect(made.commit()).toEqual({ first: 2, last: 4 });
    expect(made.cursor).toBeNull();
  });

  it('zoom into the single bucket under the cursor', () => {
    const made = brush();
    expect(made.commit()).toBeNull();
    made.step(3, false);
    expect(made.commit()).toEqual({ first: 2, last: 2 });
  });

  it('drop the selection if they move without Shift', () => {
    const made = brush();
    made.step(3, false);
    made.step(2, true);
    made.step(1, false);
    expect(made.selection).toBeNull();
  });
});

it('keeps the cursor inside if there are fewer buckets', () => {
  const made = brush();
  made.step(-1, false);
  made.layout(4, 10, 0, 100);
  expect(made.cursor).toBe(3);
  made.layout(0, 10, 0, 100);
  expect(made.cursor).toBeNull();
});
