import { expect, it } from 'vitest';

import {
  movedColumn,
  pinnedColumn,
  resizedColumn,
  shownColumns,
  valueFields,
  withColumn,
  withoutColumn,
} from './columns';
import type { ViewColumn } from '../view/viewstate';

const names = (columns: readonly ViewColumn[]) =>
  shownColumns(columns).map(({ field, pinned }) => `${field}${pinned ? '*' : ''}`);

it('puts a new column before the text, once', () => {
  const added = withColumn([], 'status');
  expect(names(added)).toEqual(['time', 'level', 'source', 'status', 'raw']);
  expect(withColumn(added, 'status')).toBe(added);
  expect(names(withColumn(withoutColumn(added, 'raw'), 'path')).at(-1)).toBe('path');
  expect(valueFields(added)).toEqual(['status', 'message']);
  expect(valueFields(withoutColumn(added, 'raw'))).toEqual(['status']);
});

it('stores nothing if the columns are the standard ones', () => {
  expect(withoutColumn(withColumn([], 'status'), 'status')).toEqual([]);
  expect(resizedColumn(resizedColumn([], 'time', 90), 'time', null)).toEqual([]);
});

it('never removes the last column', () => {
  const one = ['time', 'level', 'source'].reduce(withoutColumn, [] as readonly ViewColumn[]);
  expect(names(one)).toEqual(['raw']);
  expect(withoutColumn(one, 'raw')).toBe(one);
});

it('moves within the list and no further', () => {
  expect(names(movedColumn([], 'raw', 0))).toEqual(['raw', 'time', 'level', 'source']);
  expect(names(movedColumn([], 'time', 99))).toEqual(['level', 'source', 'raw', 'time']);
  expect(movedColumn([], 'time', -3)).toEqual([]);
  expect(movedColumn([], 'unknown', 1)).toEqual([]);
});

it('keeps pinned columns first, whatever moves', () => {
  const two = pinnedColumn([], 'level', true);
  expect(names(two)).toEqual(['time*', 'level*', 'source', 'raw']);
  expect(names(movedColumn(two, 'raw', 1))).toEqual(['time*', 'raw*', 'level*', 'source']);
  expect(names(movedColumn(two, 'time', 3))).toEqual(['level*', 'source', 'raw', 'time']);
  expect(names(pinnedColumn(two, 'time', false))).toEqual(['time', 'level', 'source', 'raw']);
});

it('keeps widths between readable and maximum', () => {
  const width = (px: number) => resizedColumn([], 'raw', px).at(-1)?.widthPx;
  expect([width(-5), width(99.6), width(1e9)]).toEqual([24, 100, 2000]);
});
