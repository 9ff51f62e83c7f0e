import { expect, test } from 'vitest';

import type { Table, TableColumn } from '../../ipc/generated';
import { drawingOf, drawingOfTimeline, greatest } from './drawing';

function table(columns: [string, TableColumn['kind']][], rows: Table['rows']): Table {
  return {
    revision: 1,
    columns: columns.map(([name, kind]) => ({ name, kind })),
    total: rows.length,
    first: 0,
    rows,
    notes: [],
    fraction: 1,
    elapsedMs: 0,
  };
}

test('numbers over time are lines, in the order of the times', () => {
  const drawn = drawingOf(
    table(
      [
        ['n', 'int'],
        ['time', 'time'],
        ['p95', 'float'],
      ],
      [
        [2, '9000000000000000002', null],
        [1, '9000000000000000001', 0.5],
        [3, null, 1],
      ],
    ),
  )!;
  expect(drawn.byTime && !drawn.stacked).toBe(true);
  expect(drawn.places).toEqual(['9000000000000000001', '9000000000000000002']);
  expect(drawn.series.map(({ name, values }) => [name, values])).toEqual([
    ['n', [1, 2]],
    ['p95', [0.5, null]],
  ]);
});

test('words beside times tell series apart, and leave gaps where they say nothing', () => {
  const drawn = drawingOf(
    table(
      [
        ['time', 'time'],
        ['source', 'text'],
        ['n', 'int'],
      ],
      [
        ['1', 'a', 5],
        ['2', 'b', 7],
        ['2', 'a', 6],
      ],
    ),
  )!;
  expect(drawn.series.map(({ name, values }) => [name, values])).toEqual([
    ['a', [5, 6]],
    ['b', [null, 7]],
  ]);
});

test('names have bars, and what has no numbers is not drawn', () => {
  const names = drawingOf(
    table(
      [
        ['status', 'int'],
        ['n', 'int'],
      ],
      [
        [200, 9],
        [500, 3],
      ],
    ),
  )!;
  expect([names.byTime, names.places, greatest(names)]).toEqual([false, ['200', '500'], 9]);
  expect(drawingOf(table([['a', 'text']], [['x']]))).toBeNull();
  expect(drawingOf(table([['n', 'int']], []))).toBeNull();
});

test('levels of a timeline stand on each other', () => {
  const drawn = drawingOfTimeline({
    revision: 1,
    start: '10' as never,
    bucketNs: '5' as never,
    series: [
      { level: 'info', counts: [1, 2] },
      { level: 'error', counts: [3, 0] },
    ],
    total: 6,
    untimed: 0,
    fraction: 1,
    elapsedMs: 0,
  });
  expect([drawn.places, drawn.stacked, greatest(drawn)]).toEqual([['10', '15'], true, 4]);
});
