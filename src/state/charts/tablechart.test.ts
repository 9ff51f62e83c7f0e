import { expect, test } from 'vitest';

import type { ColumnKind, TableCell } from '../../ipc/generated';
import { numbersOf } from './datatable';
import { chartOfTable, figureGroups, timechartGroups } from './tablechart';

const head = (...columns: [string, ColumnKind][]) => ({
  columns: columns.map(([name, kind]) => ({ name, kind })),
  total: 2,
  notes: [],
  fraction: 1,
  elapsedMs: 1,
  calculated: null,
});

const MINUTE = '60000000000';
const LATER = '120000000000';

test('values next to a group’s time are a chart over time', () => {
  const rows: TableCell[][] = [
    [LATER, 3],
    [MINUTE, 5],
  ];
  const chart = chartOfTable(head(['time', 'time'], ['count', 'int']), rows);
  if (chart?.shape !== 'time') throw new Error('not over time');
  expect(chart.edges.map(String)).toEqual([MINUTE, LATER, '180000000000']);
  expect(chart.series[0]!.values).toEqual([5, 3]);
});

test('a calculated time is no axis: the groups are compared by name', () => {
  const columns = head(['source', 'text'], ['count', 'int'], ['last', 'time'], ['slow', 'float']);
  const rows: TableCell[][] = [
    ['a.log', 3, MINUTE, 1.5],
    ['b.log', 5, LATER, null],
  ];
  expect(figureGroups(columns.columns)).toEqual(['count', 'slow']);
  const chart = chartOfTable(columns, rows);
  if (chart?.shape !== 'terms') throw new Error('not by name');
  expect(chart.rows.map(({ name, value }) => [name, value])).toEqual([
    ['a.log', 3],
    ['b.log', 5],
  ]);
  // A result has no event counts, so its values have none.
  expect(numbersOf(chart)).toMatchObject({
    columns: [{ name: 'source' }, { name: 'count' }],
    rows: [
      ['a.log', 3],
      ['b.log', 5],
    ],
  });
});

test('a name next to the time splits the series', () => {
  const columns = head(['time', 'time'], ['level', 'level'], ['count', 'int']);
  const chart = chartOfTable(columns, [
    [MINUTE, 'info', 3],
    [MINUTE, 'error', 1],
    [LATER, 'info', 4],
  ]);
  if (chart?.shape !== 'time') throw new Error('not over time');
  expect(chart.series.map(({ name, values }) => [name, values])).toEqual([
    ['info', [3, 4]],
    ['error', [1, null]],
  ]);
});

test('numbers alone are only a table', () => {
  expect(chartOfTable(head(['a', 'int'], ['b', 'int']), [[1, 2]])).toBeNull();
});

test('a timechart by a field shows all its series, stacked, in the colours of their values', () => {
  const columns = head(
    ['time', 'time'],
    ['info', 'int'],
    ['error', 'int'],
    ['other', 'int'],
    ['none', 'int'],
  );
  const rows: TableCell[][] = [
    [MINUTE, 3, 0, 1, 0],
    [LATER, 4, 2, 0, 5],
  ];
  const timechart = { split: 'level', measure: 'count', isSum: true };
  expect(timechartGroups(columns, timechart)).toEqual(['count']);
  const chart = chartOfTable(columns, rows, { timechart });
  if (chart?.shape !== 'time') throw new Error('not over time');
  expect(chart.stacked).toBe(true);
  expect(chart.series.map(({ name, colour, whole }) => [name, colour, whole])).toEqual([
    ['error', 'error', 2],
    ['info', 'info', 7],
    ['none', 'none', 5],
    ['other', 'other', 1],
  ]);
});

test('a timechart of several calculations shows one of them at a time', () => {
  const columns = head(
    ['time', 'time'],
    ['count: cart', 'int'],
    ['p95(duration_ms): cart', 'float'],
    ['count: stock', 'int'],
    ['p95(duration_ms): stock', 'float'],
  );
  const rows: TableCell[][] = [[MINUTE, 3, 1.5, 4, 2.5]];
  const timechart = { split: 'service', measure: 'count, p95(duration_ms)', isSum: false };
  expect(timechartGroups(columns, timechart)).toEqual(['count', 'p95(duration_ms)']);
  const chart = chartOfTable(columns, rows, { timechart, group: 'p95(duration_ms)' });
  if (chart?.shape !== 'time') throw new Error('not over time');
  expect(chart.series.map(({ name, values }) => [name, ...values])).toEqual([
    ['cart', 1.5],
    ['stock', 2.5],
  ]);
  expect([chart.unit, chart.stacked]).toEqual(['ms', false]);
  // A board may keep a calculation that the stages do not have any more.
  for (const group of [null, 'sum(bytes)']) {
    const first = chartOfTable(columns, rows, { timechart, group });
    expect(first?.shape === 'time' && first.series.map(({ values }) => values)).toEqual([[3], [4]]);
  }
});

test('percentiles of the same values are drawn together over time, and other calculations are not', () => {
  const columns = head(
    ['time', 'time'],
    ['p50(took_ms)', 'int'],
    ['p99(took_ms)', 'float'],
    ['p99(bytes)', 'int'],
    ['count', 'int'],
  );
  const rows: TableCell[][] = [
    [MINUTE, 3, 9.5, 70, 4],
    [LATER, 5, 12, 80, 6],
  ];
  expect(figureGroups(columns.columns)).toEqual(['percentiles(took_ms)', 'p99(bytes)', 'count']);
  for (const timechart of [
    null,
    { split: null, measure: 'p50(took_ms), p99(took_ms), p99(bytes), count', isSum: false },
  ]) {
    const chart = chartOfTable(columns, rows, { timechart });
    if (chart?.shape !== 'time') throw new Error('not over time');
    expect(chart.unit).toBe('ms');
    expect(chart.series.map(({ name, values }) => [name, values])).toEqual([
      ['p50(took_ms)', [3, 5]],
      ['p99(took_ms)', [9.5, 12]],
    ]);
  }
  // By name, one of them is drawn at a time.
  const named = head(['path', 'text'], ['p50(took_ms)', 'int'], ['p99(took_ms)', 'int']);
  expect(figureGroups(named.columns)).toEqual(['p50(took_ms)', 'p99(took_ms)']);
});
