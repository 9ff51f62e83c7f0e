import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import type { Aggregate, QueryClause, View } from '../../ipc/generated';
import { FakeClient } from '../fakeclient';
import { valueField } from './valueclause';
import { ValueList, withSearch } from './valuelist.svelte';

const status = valueField({ name: 'status', kinds: ['int'] });
let client: FakeClient;
let lifetime: Lifetime;
let list: ValueList;

const view = (query: string): View => ({ case: '/a.case', query, from: null, to: null });
const clauses = (...texts: string[]): QueryClause[] =>
  texts.map((text) => ({ text, isNegated: text.startsWith('NOT ') }));
const last = () => client.callsTo('aggregate').at(-1)!;
const asked = () => last().args;

/** Counts by value, with how many distinct values there are and how many events have none of them. */
const answer = (counts: Record<string, number>, distinct: number, others = 0, missing = 0) => {
  const all = Object.values(counts).reduce((sum, count) => sum + count, others + missing);
  const values = Object.keys(counts).map((text) => ({ kind: 'int', text, number: Number(text) }));
  const axes = [{ kind: 'terms', field: 'status', values, distinct }];
  return { axes, counts: [...Object.values(counts), others, missing], total: all } as Aggregate;
};
const rows = () => list.value?.rows.map(({ value, count }) => [value.text, count]);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  client = new FakeClient();
  lifetime = new Lifetime();
  list = new ValueList(lifetime, client);
});

afterEach(() => vi.useRealTimers());

/** Answers while the clock of the test is still. */
async function reply(value: Aggregate): Promise<void> {
  void last().answer(value);
  await vi.advanceTimersByTimeAsync(0);
}

it('counts the values that the query does not choose too', async () => {
  list.show(view('error status:(502 OR 504)'), clauses('error', 'status:(502 OR 504)'));
  expect(client.calls).toEqual([]);
  list.open(status);
  expect(asked()).toMatchObject({ view: { query: '(error)' }, by: [{ field: 'status', top: 10 }] });
  await reply(answer({ 200: 70, 502: 4, 504: 2 }, 3, 0, 5));
  expect(rows()).toEqual([
    ['200', 70],
    ['502', 4],
    ['504', 2],
  ]);
  expect(list.value).toMatchObject({ distinct: 3, present: 76 });
  expect([...list.choice.included]).toEqual(['502', '504']);
  expect([list.isFresh, list.more]).toEqual([true, 0]);
});

it('lists chosen values first if they are too rare to be listed otherwise', async () => {
  list.show(view('NOT status=599'), clauses('NOT status=599'));
  list.open(status);
  await reply(answer({ 200: 70, 404: 9 }, 30, 21));
  expect(asked().view.query).toBe('(status=599)');
  await reply(answer({ 599: 1 }, 1));
  expect(rows()).toEqual([
    ['599', 1],
    ['200', 70],
    ['404', 9],
  ]);
});

it('lists a chosen value that no event has, without another request', async () => {
  list.show(view('status:(502 OR 599)'), clauses('status:(502 OR 599)'));
  list.open(status);
  await reply(answer({ 200: 70, 502: 9 }, 2));
  expect(client.callsTo('aggregate')).toHaveLength(1);
  expect(rows()).toEqual([
    ['599', 0],
    ['200', 70],
    ['502', 9],
  ]);
});

it('searches all values where they are, in any case, as text', async () => {
  list.show(view('a OR b'), clauses('a OR b'));
  list.open(status);
  const ten = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [200 + at, 70]));
  await reply(answer(ten, 4972, 5000));
  expect(list.more).toBe(100);
  list.type('5');
  list.type(' 50');
  expect(client.callsTo('aggregate')).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(150);
  expect(asked().view.query).toBe('(a OR b) status:*50*');
  expect(list.isFresh).toBe(false);
  await reply(answer({ 500: 3, 502: 1 }, 2));
  expect([rows(), list.more, list.value?.search]).toEqual([
    [
      ['500', 3],
      ['502', 1],
    ],
    0,
    '50',
  ]);
});

it('lists more values on request, and starts again with another field', async () => {
  list.show(view(''), []);
  list.open(status);
  await reply(answer({ 200: 70 }, 4972, 5000));
  list.showMore();
  expect(asked().by[0]).toMatchObject({ top: 110 });
  // What is known stays until the answer.
  expect(rows()).toEqual([['200', 70]]);
  list.open(valueField({ name: 'other', kinds: ['text'] }));
  expect(asked().by[0]).toMatchObject({ field: 'other', top: 10 });
  expect([list.value, list.search]).toEqual([null, '']);
});

it('follows a case that grows, and stops when no field is open', async () => {
  list.show(view(''), []);
  list.open(status);
  await reply(answer({ 200: 70 }, 1));
  lifetime.grow();
  expect(client.callsTo('aggregate')).toHaveLength(2);
  await reply(answer({ 200: 80 }, 1));
  expect(rows()).toEqual([['200', 80]]);
  list.open(null);
  lifetime.grow();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(client.callsTo('aggregate')).toHaveLength(2);
});

it('keeps the values while a request fails, and says why', async () => {
  list.show(view(''), []);
  list.open(status);
  await reply(answer({ 200: 70 }, 1));
  list.show(view('x'), clauses('x'));
  void last().fail({ code: 'internal', message: 'm' });
  await vi.advanceTimersByTimeAsync(0);
  expect([rows(), list.isFresh]).toEqual([[['200', 70]], false]);
  expect(list.failure).not.toBeNull();
  list.retry();
  await reply(answer({ 200: 7 }, 1));
  expect([rows(), list.failure]).toEqual([[['200', 7]], null]);
});

it.each([
  ['', 'path', '', ''],
  ['a', 'path', '', 'a'],
  ['', 'path', 'x', 'path:*x*'],
  ['a OR b', 'my field', 'A b', '(a OR b) "my field":*A\\ b*'],
  ['', 'path', '*?\\"/', 'path:*\\*\\?\\\\\\"\\/*'],
])('searches %s in %s for %s', (filter, field, search, expected) =>
  expect(withSearch(filter, field, search)).toBe(expected),
);
