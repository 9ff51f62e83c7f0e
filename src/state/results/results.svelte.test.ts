import { beforeEach, expect, it } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import type { Table, TableCell } from '../../ipc/generated';
import { chartOfTable, figureGroups } from '../charts/tablechart';
import { FakeClient, settled } from '../fakeclient';
import { Results, type TableHead } from './results.svelte';

let client: FakeClient;
let results: Results;

const view = (query: string) => ({ case: '/c', query, from: null, to: null });

function table(total: number, first: number, count: number, fraction = 1): Table {
  const rows = Array.from({ length: Math.min(count, total - first) }, (_, at): TableCell[] => [
    `row ${first + at}`,
    first + at,
  ]);
  const columns = [
    { name: 'name', kind: 'text' as const },
    { name: 'count', kind: 'int' as const },
  ];
  const rest = { notes: [], fraction, elapsedMs: 1, calculated: null };
  return { revision: 1, columns, total, first, rows, ...rest };
}

const asked = () => client.callsTo('run');

beforeEach(() => {
  client = new FakeClient();
  results = new Results(new Lifetime(), client);
});

it('fetches the visible rows, once', async () => {
  results.show(view('| a'), null);
  await asked()[0]!.answer(table(100_000, 0, 5_000));
  expect(results.row(4_999)?.[1]).toBe(4_999);
  expect(results.row(50_000)).toBeUndefined();
  results.want(50_000, 50_040);
  const [, page] = asked();
  expect(page!.args.first).toBe(50_000);
  await page!.answer(table(100_000, 50_000, 200));
  expect(results.row(50_040)?.[0]).toBe('row 50040');
  results.want(50_000, 50_040);
  expect(asked()).toHaveLength(2);
});

it('asks once more, exactly, for what a cluster only estimated', async () => {
  results.show(view('| a'), null);
  expect(asked()[0]!.args).not.toHaveProperty('exact');
  await asked()[0]!.answer({ ...table(3, 0, 3), estimated: true });
  expect(results.value?.estimated).toBe(true);
  results.calculateExactly();
  expect(asked()[1]!.args).toMatchObject({ exact: true, view: view('| a') });
  await asked()[1]!.answer(table(10_000, 0, 5_000));
  expect(results.value).toMatchObject({ total: 10_000 });
  expect(results.value?.estimated).toBeUndefined();
  results.want(9_000, 9_040);
  expect(asked()[2]!.args).toMatchObject({ exact: true, first: 9_000 });
  // The screen shows it again, as it was wished; another query is estimated first.
  results.show(view('| a'), null);
  expect(asked()).toHaveLength(3);
  results.show(view('| b'), null);
  expect(asked()[3]!.args).not.toHaveProperty('exact');
});

it('shows a partial result while the rest is calculated, without requesting more of it', async () => {
  results.show(view('| a'), null);
  asked()[0]!.options.progress?.(table(10_000, 0, 5_000, 0.3));
  expect(results.value).toMatchObject({ total: 10_000, fraction: 0.3 });
  results.want(9_000, 9_040);
  expect(asked()).toHaveLength(1);
  // Before the first partial answer there are no columns, and the last result stays.
  asked()[0]!.options.progress?.({ ...table(0, 0, 0, 0.4), columns: [] });
  expect(results.value?.fraction).toBe(0.3);
  await asked()[0]!.answer(table(3, 0, 3));
  expect(results.value).toMatchObject({ total: 3, fraction: 1 });
});

it('aborts a replaced query and keeps the last result if one fails', async () => {
  results.show(view('| a'), null);
  await asked()[0]!.answer(table(3, 0, 3));
  results.show(view('| b'), null);
  results.show(view('| c'), null);
  expect(asked()[1]!.options.signal?.aborted).toBe(true);
  await asked()[2]!.fail({ code: 'limit', message: 'too much' });
  expect(results.failure).not.toBeNull();
  expect(results.value?.total).toBe(3);
  results.retry();
  await asked()[3]!.answer(table(5, 0, 5));
  expect([results.failure, results.value?.total]).toEqual([null, 5]);
});

it('lets the engine write the whole result to a file', async () => {
  results.show(view('| a'), null);
  const saving = results.export('a.csv', 'csv');
  await settled();
  const [written] = client.callsTo('export');
  expect(written!.args).toMatchObject({ format: 'csv', path: '/saved/a.csv', view: view('| a') });
  await written!.answer({ path: '/saved/a.csv', rows: 7, fraction: 1 });
  expect(await saving).toMatchObject({ name: 'a.csv', written: { rows: 7 } });
});

const head = (names: [string, TableHead['columns'][number]['kind']][]): TableHead => ({
  columns: names.map(([name, kind]) => ({ name, kind })),
  total: 3,
  notes: [],
  fraction: 1,
  elapsedMs: 1,
  calculated: null,
});

it('draws values over time, one calculation at a time, in the unit of its field', () => {
  const shown = head([
    ['time', 'time'],
    ['count: a', 'int'],
    ['count: b', 'int'],
    ['p95(duration_ms): a', 'float'],
  ]);
  const rows = [
    ['120000000000', 3, null, 1.5],
    ['60000000000', 1, 2, 2.5],
    ['240000000000', 5, 6, null],
  ];
  expect(figureGroups(shown.columns)).toEqual(['count', 'p95(duration_ms)']);
  expect(chartOfTable(shown, rows)).toMatchObject({
    shape: 'time',
    unit: 'plain',
    edges: [60n, 120n, 240n, 300n].map((second) => second * 1_000_000_000n),
    series: [
      { name: 'count: a', values: [1, 3, 5] },
      { name: 'count: b', values: [2, null, 6] },
    ],
  });
  expect(chartOfTable(shown, rows, { group: 'p95(duration_ms)' })).toMatchObject({
    unit: 'ms',
    series: [{ values: [2.5, 1.5, null] }],
  });
});

it('splits rows with a time and a name into a series per name', () => {
  const shown = head([
    ['time', 'time'],
    ['level', 'level'],
    ['count', 'int'],
  ]);
  const rows = [
    ['0', 'info', 1],
    ['0', 'error', 2],
    ['1000', 'info', 3],
  ];
  expect(chartOfTable(shown, rows)).toMatchObject({
    series: [
      { name: 'info', values: [1, 3] },
      { name: 'error', values: [2, null] },
    ],
  });
});

it('draws names by their first value, and nothing if there is no number', () => {
  const shown = head([
    ['path', 'text'],
    ['method', 'text'],
    ['sum(bytes)', 'int'],
  ]);
  expect(
    chartOfTable(shown, [
      ['/', 'GET', 5],
      ['', null, '9007199254740994'],
    ]),
  ).toMatchObject({
    shape: 'terms',
    unit: 'bytes',
    rows: [
      { name: '/ · GET', value: 5 },
      { name: '(empty) · –', value: 9_007_199_254_740_994 },
    ],
  });
  expect(chartOfTable(head([['path', 'text']]), [['/']])).toBeNull();
  expect(chartOfTable(head([['count', 'int']]), [[5]])).toBeNull();
  expect(chartOfTable(shown, [])).toBeNull();
});

it('reports an error that is found at run time, until there is a result', async () => {
  results.show(view('SELECT CAST(service AS BIGINT) FROM events'), null);
  await asked()[0]!.fail({ code: 'queryInvalid', message: 'conversion failed' });
  expect(results.failure).toBeNull();
  expect(results.mistake?.message).toBe('conversion failed');
  results.show(view('SELECT 1'), null);
  await asked()[1]!.answer(table(1, 0, 1));
  expect(results.mistake).toBeNull();
});
