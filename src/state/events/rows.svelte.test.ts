import { beforeEach, describe, expect, it, vi } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import { EngineError } from '../../ipc/client';
import type { Page, Row, View } from '../../ipc/generated';
import { FakeClient } from '../fakeclient';
import { PAGE_ROWS } from './pagecache';
import { Rows, type Listing } from './rows.svelte';

const OLDEST: Listing = { order: 'oldestFirst', sort: null, fields: [] };
const view = (query: string): View => ({ case: '/a.case', query, from: null, to: null });

function page(name: string, first: number, total: number): Page {
  const rows = Array.from({ length: Math.min(PAGE_ROWS, total - first) }, (_, at) => ({
    id: { source: 0, offset: first + at },
    text: `${name} ${first + at}`,
  })) as Row[];
  return { revision: 1, total, first, rows, elapsedMs: 1 };
}

const error = (code: 'queryInvalid' | 'internal') =>
  new EngineError({ code, message: 'm', hint: null, path: null, span: null });

let client: FakeClient;
let lifetime: Lifetime;
let rows: Rows;
const listener = { replaced: vi.fn(), came: vi.fn() };

beforeEach(() => {
  vi.clearAllMocks();
  client = new FakeClient();
  lifetime = new Lifetime();
  rows = new Rows(lifetime, client, listener);
});

const asked = () => client.callsTo('page').map((call) => call.args.first / PAGE_ROWS);

describe('another view', () => {
  it('keeps the rows of the last one in sight until its own have arrived', async () => {
    rows.show(view(''), OLDEST);
    await client.callsTo('page')[0]!.answer(page('all', 0, 50));
    rows.show(view('error'), OLDEST);
    expect(rows.at(0)?.text).toBe('all 0');
    expect(rows.total).toBe(50);
    await client.callsTo('page')[1]!.answer(page('error', 0, 3));
    expect(rows.at(0)?.text).toBe('error 0');
    expect(rows.total).toBe(3);
    expect(listener.replaced).toHaveBeenCalledTimes(2);
  });

  it('is not overwritten by a late answer to the previous one', async () => {
    rows.show(view('slow'), OLDEST);
    rows.show(view('fast'), OLDEST);
    await client.callsTo('page')[1]!.answer(page('fast', 0, 3));
    await client.callsTo('page')[0]!.answer(page('slow', 0, 9));
    expect(rows.at(0)?.text).toBe('fast 0');
    expect(rows.total).toBe(3);
    expect(client.callsTo('page')[0]!.options.signal?.aborted).toBe(true);
  });

  it('leaves the rows as they are if its query is wrong', async () => {
    rows.show(view(''), OLDEST);
    await client.callsTo('page')[0]!.answer(page('all', 0, 50));
    rows.show(view('('), OLDEST);
    await client.callsTo('page')[1]!.fail(error('queryInvalid'));
    expect(rows.at(0)?.text).toBe('all 0');
    expect(rows.failure).toBeNull();
  });
});

describe('scrolling', () => {
  beforeEach(async () => {
    rows.show(view(''), OLDEST);
    await client.callsTo('page')[0]!.answer(page('all', 0, 100_000));
    client.calls.length = 0;
  });

  it('requests only the pages in sight or near', () => {
    rows.see(1000, 1040);
    expect(asked()).toEqual([5, 4]);
  });

  it('limits its requests, and then continues with the rows in sight now', async () => {
    for (let row = 0; row < 50_000; row += 5_000) rows.see(row + 100, row + 130);
    // The third is the page after the first one, which was prefetched before.
    expect(client.calls).toHaveLength(2);
    await client
      .callsTo('page')[0]!
      .answer(page('all', client.callsTo('page')[0]!.args.first, 100_000));
    expect(asked().at(-1)).toBe(Math.floor(45_100 / PAGE_ROWS));
  });

  it('stops requesting after a failure until a person retries', async () => {
    rows.see(1000, 1040);
    await client.callsTo('page')[0]!.fail(error('internal'));
    const before = client.calls.length;
    rows.see(1100, 1140);
    expect(rows.failure?.code).toBe('internal');
    expect(client.calls).toHaveLength(before);
    rows.retry();
    expect(client.calls.length).toBeGreaterThan(before);
  });
});

it('shows the old rows of a growing case until the newer ones arrive', async () => {
  rows.show(view(''), OLDEST);
  await client.callsTo('page')[0]!.answer(page('old', 0, 50));
  lifetime.grow();
  expect(rows.at(0)?.text).toBe('old 0');
  await client.callsTo('page')[1]!.answer(page('new', 0, 80));
  expect(rows.at(0)?.text).toBe('new 0');
  expect(rows.total).toBe(80);
  expect(listener.replaced).toHaveBeenCalledTimes(1);
  expect(client.calls).toHaveLength(2);
});

it('finds an event that has moved down', async () => {
  rows.show(view(''), OLDEST);
  await client.callsTo('page')[0]!.answer(page('all', 0, 150));
  expect(rows.indexNear({ source: 0, offset: 120 }, 20)).toBe(120);
  expect(rows.indexNear({ source: 1, offset: 120 }, 20)).toBe(-1);
});

describe('other columns of the same list', () => {
  const withField: Listing = { ...OLDEST, fields: ['status'] };

  it('keep every row in its place and request only the rows in sight', async () => {
    rows.show(view(''), OLDEST);
    await client.callsTo('page')[0]!.answer(page('all', 0, 10_000));
    rows.see(5000, 5040);
    const seen = client.callsTo('page').find(({ args }) => args.first === 5000)!;
    await seen.answer(page('all', 5000, 10_000));
    const asked = client.callsTo('page').length;
    rows.show(view(''), withField);
    expect(rows.at(5000)?.text).toBe('all 5000');
    expect(rows.value(rows.at(5000)!, 'status')).toBeUndefined();
    const call = client.callsTo('page')[asked]!;
    expect(call.args).toMatchObject({ first: 5000, columns: ['status'] });
    const answer = page('all', 5000, 10_000);
    await call.answer({ ...answer, rows: answer.rows.map((row) => ({ ...row, values: ['200'] })) });
    expect(rows.value(rows.at(5000)!, 'status')).toBe('200');
    expect(listener.replaced).toHaveBeenCalledTimes(1);
    rows.show(view(''), { ...OLDEST, fields: ['path'] });
    rows.show(view(''), withField);
    expect(rows.value(rows.at(5000)!, 'status')).toBe('200');
  });

  it('are requested in the order of a field too', () => {
    rows.show(view(''), { ...withField, sort: { field: 'status', descending: true } });
    expect(client.callsTo('sortedPage')[0]!.args).toMatchObject({
      field: 'status',
      descending: true,
      first: 0,
      columns: ['status'],
    });
  });
});

describe('a list that is followed to its end', () => {
  /** A list of 150 rows, followed. */
  async function followed(): Promise<void> {
    rows.show(view(''), OLDEST);
    await client.callsTo('page')[0]!.answer(page('all', 0, 150));
    rows.followsEnd = true;
    client.calls.length = 0;
  }

  it('grows only together with its last rows', async () => {
    await followed();
    lifetime.grow();
    expect(asked()).toEqual([0]);
    await client.callsTo('page')[0]!.answer(page('all', 0, 950));
    expect(rows.total).toBe(150);
    // Those in between are requested when they are looked at.
    expect(asked()).toEqual([0, 4]);
    await client.callsTo('page')[1]!.answer(page('all', 800, 960));
    expect(rows.total).toBe(950);
    expect(rows.at(949)?.text).toBe('all 949');
    expect(rows.generation).toBe(1);
  });

  it('has a whole screen of rows at its end', async () => {
    await followed();
    lifetime.grow();
    await client.callsTo('page')[0]!.answer(page('all', 0, 805));
    await client.callsTo('page')[1]!.answer(page('all', 600, 805));
    expect(rows.total).toBe(150);
    await client.callsTo('page')[2]!.answer(page('all', 800, 805));
    expect(asked()).toEqual([0, 3, 4]);
    expect([rows.total, rows.at(745)?.text]).toEqual([805, 'all 745']);
  });

  it('is replaced at its end when the range slides', async () => {
    await followed();
    rows.show({ ...view(''), from: '15' as never }, OLDEST);
    expect(rows.at(149)?.text).toBe('all 149');
    await client.callsTo('page')[0]!.answer(page('later', 0, 140));
    expect([rows.total, rows.generation]).toEqual([140, 2]);
    expect(rows.at(139)?.text).toBe('later 139');
  });

  it('does not move because a page in sight is newer', async () => {
    await followed();
    lifetime.grow();
    await client.callsTo('page')[0]!.answer(page('all', 0, 160));
    rows.see(0, 20);
    client.calls.length = 0;
    lifetime.grow();
    rows.see(100, 150);
    const [end, ...seen] = client.callsTo('page');
    for (const call of seen) await call.answer(page('all', 0, 900));
    expect(rows.total).toBe(160);
    await end!.answer(page('all', 0, 170));
    expect(rows.total).toBe(170);
  });

  it('is shown when it is empty', async () => {
    await followed();
    rows.show(view('none'), OLDEST);
    await client.callsTo('page')[0]!.answer({ ...page('none', 0, 0), rows: [] });
    expect([rows.total, rows.known]).toEqual([0, true]);
  });
});
