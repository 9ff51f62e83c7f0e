import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import { FileListState, SHOWN_MS } from './filelist.svelte';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function ended(isInTheWay = () => false): FileListState {
  const fileList = new FileListState(new Lifetime(), isInTheWay);
  fileList.show(true);
  expect(fileList.isOpen).toBe(true);
  fileList.show(false);
  return fileList;
}

test('the files of a finished import collapse after a while', () => {
  const fileList = ended();
  vi.advanceTimersByTime(SHOWN_MS - 1);
  expect(fileList.isOpen).toBe(true);
  vi.advanceTimersByTime(1);
  expect(fileList.isOpen).toBe(false);
});

test('continuing with other work collapses them at once, but not while files are read', () => {
  const fileList = new FileListState(new Lifetime(), () => false);
  fileList.show(true);
  fileList.goOn();
  expect(fileList.isOpen).toBe(true);
  fileList.show(false);
  fileList.goOn();
  expect(fileList.isOpen).toBe(false);
});

test('nothing moves by itself under the pointer', () => {
  let isPointed = true;
  const fileList = ended(() => isPointed);
  vi.advanceTimersByTime(10 * SHOWN_MS);
  expect(fileList.isOpen).toBe(true);
  isPointed = false;
  vi.advanceTimersByTime(SHOWN_MS);
  expect(fileList.isOpen).toBe(false);
});

test('a person’s choice stays, and the next import may collapse the list again', () => {
  const fileList = ended();
  fileList.goOn();
  fileList.toggle();
  fileList.goOn();
  vi.advanceTimersByTime(10 * SHOWN_MS);
  expect(fileList.isOpen).toBe(true);
  fileList.show(true);
  fileList.show(false);
  fileList.goOn();
  expect(fileList.isOpen).toBe(false);

  fileList.toggle();
  fileList.toggle();
  fileList.show(true);
  expect(fileList.isOpen).toBe(false);
});
