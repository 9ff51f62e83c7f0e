import { expect, it } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import type { Contract, Nanos, Pattern, SignificantTerm } from '../../ipc/generated';
import { FakeClient, settled } from '../fakeclient';
import { Difference, rowsOf } from './difference.svelte';

const term = (field: string, text: string, selected: number, others: number): SignificantTerm => ({
  field,
  value: { kind: 'text', text, number: null },
  selected,
  others,
  score: 1,
});
const pattern = (id: string, count: number, elsewhere: number) =>
  ({ id, text: `text of ${id}`, count, elsewhere }) as Pattern;

it('has three rows: clear values, each field once, and a new pattern', () => {
  const terms = [
    term('bytes', '157', 80, 10),
    term('status', '500', 80, 10),
    term('status', '502', 20, 0),
    term('reason', 'Internal Server Error', 80, 10),
    term('level', 'error', 90, 45),
    term('host', 'a', 50, 450),
    term('trace', 'abc', 1, 0),
    term('service', 'stock', 60, 100),
  ];
  const patterns = [pattern('t1', 90, 5), pattern('t2', 30, 0)];
  const rows = rowsOf({ terms, selected: 100, others: 900, patterns });
  expect(rows.map(({ field, text }) => [field, text])).toEqual([
    ['status', '500'],
    ['level', 'error'],
    [null, 'text of t2'],
  ]);
  expect(rows[0]).toMatchObject({ inside: 0.8, selected: 80 });
  expect(rows[0]!.ratio).toBeCloseTo(72);
  expect(rows[2]!.ratio).toBeNull();
});

it('says nothing of a range that is all there is, or like the rest', () => {
  expect(rowsOf({ terms: [term('a', 'b', 5, 0)], selected: 9, others: 0, patterns: [] })).toEqual(
    [],
  );
  const alike = [term('a', 'b', 5, 500)];
  expect(rowsOf({ terms: alike, selected: 10, others: 1000, patterns: [] })).toEqual([]);
});

it('compares the range with the same query at all times, and drops what is not wanted any more', async () => {
  const client = new FakeClient();
  const difference = new Difference(new Lifetime(), client);
  const view = { case: '/c', query: 'level:error', from: '5' as Nanos, to: '9' as Nanos };
  difference.show(view);
  await settled();
  const [call] = client.callsTo('significant');
  expect(call!.args).toMatchObject({
    selection: view,
    background: { query: 'level:error', from: null },
  });
  await client
    .callsTo('patterns')[0]!
    .answer({ patterns: [] as Pattern[] } as Contract['patterns']['reply']);
  await call!.answer({
    terms: [term('a', 'b', 5, 0)],
    selected: 9,
    others: 5,
  } as Contract['significant']['reply']);
  expect(difference.rows).toHaveLength(1);
  difference.stop();
  expect(difference.rows).toBeNull();
});
