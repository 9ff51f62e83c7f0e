import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import { Folding, TOLD_MS } from './filelist.svelte';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function ended(isInTheWay = () => false): Folding {
  const folding = new Folding(new Lifetime(), isInTheWay);
  folding.show(true);
  expect(folding.isOpen).toBe(true);
  folding.show(false);
  return folding;
}

test('the files of a finished import are folded away after a while', () => {
  const folding = ended();
  vi.advanceTimersByTime(TOLD_MS - 1);
  expect(folding.isOpen).toBe(true);
  vi.advanceTimersByTime(1);
  expect(folding.isOpen).toBe(false);
});

test('whoever goes on to something else folds them at once, but not while files are read', () => {
  const folding = new Folding(new Lifetime(), () => false);
  folding.show(true);
  folding.goOn();
  expect(folding.isOpen).toBe(true);
  folding.show(false);
  folding.goOn();
  expect(folding.isOpen).toBe(false);
});

test('nothing moves by itself under the pointer', () => {
  let isPointed = true;
  const folding = ended(() => isPointed);
  vi.advanceTimersByTime(10 * TOLD_MS);
  expect(folding.isOpen).toBe(true);
  isPointed = false;
  vi.advanceTimersByTime(TOLD_MS);
  expect(folding.isOpen).toBe(false);
});

test('what a person wishes holds, and the next import may fold again', () => {
  const folding = ended();
  folding.goOn();
  folding.toggle();
  folding.goOn();
  vi.advanceTimersByTime(10 * TOLD_MS);
  expect(folding.isOpen).toBe(true);
  folding.show(true);
  folding.show(false);
  folding.goOn();
  expect(folding.isOpen).toBe(false);

  folding.toggle();
  folding.toggle();
  folding.show(true);
  expect(folding.isOpen).toBe(false);
});
