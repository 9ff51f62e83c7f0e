import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import { asTime } from '../../base/time';
import { EngineError } from '../../ipc/client';
import type { Nanos, QueryCheck, QueryDiagnostic, Timeline } from '../../ipc/generated';
import { NO_CHOICE, toggled, valueField } from '../fields/valueclause';
import { Explorer } from './explorer.svelte';
import { FakeClient, settled } from '../fakeclient';

function timeline(total: number, fraction = 1): Timeline {
  return {
    revision: 1,
    start: '0' as Nanos,
    bucketNs: '10' as Nanos,
    series: [{ level: 'info', counts: [total, 0] }],
    total,
    untimed: 0,
    fraction,
    elapsedMs: 1,
  };
}

const viewChanged = vi.fn();
let client: FakeClient;
let lifetime: Lifetime;
let explorer: Explorer;

beforeEach(async () => {
  vi.clearAllMocks();
  client = new FakeClient();
  lifetime = new Lifetime();
  explorer = new Explorer(lifetime, client, '/a.case', viewChanged);
  explorer.fit(100);
  await client.callsTo('timeline')[0]!.answer(timeline(10));
});

const last = () => client.callsTo('timeline').at(-1)!;
/** Runs a query whose check finds nothing wrong. */
async function ask(query: string): Promise<void> {
  explorer.ask(query);
  await client.callsTo('check').at(-1)!.answer(check(query));
}
const invalid = {
  code: 'queryInvalid',
  message: 'm',
  hint: null,
  path: null,
  span: null,
} as const;

const check = (filter: string, more: Partial<QueryCheck> = {}): QueryCheck => ({
  diagnostics: [],
  words: [],
  printed: filter,
  filter,
  clauses: [],
  stages: [],
  isSql: false,
  ...more,
});
const wrong: QueryDiagnostic = {
  isError: true,
  message: 'm',
  hint: null,
  start: 0,
  end: 1,
  replacement: null,
};

it('shows partial answers to a new request, marked as partial', async () => {
  await ask('error');
  last().options.progress?.(timeline(2, 0.42));
  expect(explorer.timeline).toMatchObject({ total: 2, fraction: 0.42 });
  await last().answer(timeline(5));
  expect(explorer.timeline).toMatchObject({ total: 5, fraction: 1 });
});

it('does not fall back to a partial answer while the case grows', async () => {
  lifetime.grow();
  last().options.progress?.(timeline(3, 0.3));
  expect(explorer.timeline?.total).toBe(10);
  await last().answer(timeline(12));
  expect(explorer.timeline?.total).toBe(12);
});

describe('an invalid query', () => {
  const refuse = () =>
    client
      .callsTo('check')
      .at(-1)!
      .answer(check('', { diagnostics: [wrong] }));

  it('is never requested: everything shows the last valid one', async () => {
    await ask('error');
    await last().answer(timeline(5));
    const asked = client.callsTo('timeline').length;
    explorer.ask('error (');
    expect(explorer.view.query).toBe('error');
    await refuse();
    expect(explorer.mistake?.message).toBe('m');
    expect([explorer.query, explorer.shownQuery, explorer.view.query]).toEqual([
      'error (',
      'error',
      'error',
    ]);
    expect(
      client
        .callsTo('timeline')
        .slice(asked)
        .map(({ args }) => args.view.query),
    ).not.toContain('error (');
    explorer.zoom({ from: asTime(5n), to: asTime(9n) });
    expect(last().args.view).toMatchObject({ query: 'error', from: '5' });
    await ask('error x');
    expect(explorer.mistake).toBeNull();
    expect(last().args.view).toMatchObject({ query: 'error x', from: '5' });
  });

  it('keeps the result of the last stages', async () => {
    explorer.run('a | stats count');
    await client
      .callsTo('check')
      .at(-1)!
      .answer(check('a', { stages: [{ start: 4, end: 15 }] }));
    explorer.run('a | stast count');
    await refuse();
    expect(explorer.isPiped).toBe(true);
    expect(explorer.wholeView.query).toBe('a | stats count');
  });

  it('is left again when its error shows only as it runs', async () => {
    await ask('error');
    await last().answer(timeline(5));
    await ask('/((a{9}){9}){9}/');
    await last().fail(new EngineError(invalid));
    expect(explorer.mistake?.code).toBe('queryInvalid');
    expect(explorer.timeline?.total).toBe(5);
    expect(explorer.view.query).toBe('error');
    expect(explorer.isStale).toBe(false);
    await settled();
    expect(explorer.mistake?.code).toBe('queryInvalid');
  });

  it('shows all events if it is the first one', async () => {
    const kept = { read: (name: string) => (name === 'draft' ? '(' : view), write: () => {} };
    explorer.ask('(');
    const view = explorer.history.text;
    const other = new Explorer(new Lifetime(), client, '/a.case', viewChanged, kept);
    other.fit(100);
    const asked = client.callsTo('timeline').length;
    expect(other.isReady).toBe(false);
    await refuse();
    expect(client.callsTo('timeline')).toHaveLength(asked + 1);
    expect(last().args.view.query).toBe('');
  });
});

it('requests the range that was zoomed into, and zooms out again', async () => {
  explorer.zoom({ from: asTime(5n), to: asTime(9n) });
  expect(last().args.view).toMatchObject({ from: '5', to: '9' });
  expect(explorer.history.canZoomOut).toBe(true);
  await last().answer(timeline(1));
  explorer.history.zoomOut();
  expect(last().args.view).toMatchObject({ from: null, to: null });
  expect(explorer.range).toBeNull();
  expect(explorer.history.canZoomOut).toBe(false);
  expect(viewChanged).toHaveBeenCalledTimes(2);
});

it('lets a slow answer finish while new data arrives, then requests once more', async () => {
  for (let grown = 0; grown < 7; grown += 1) lifetime.grow();
  expect(client.callsTo('timeline')).toHaveLength(2);
  await client.callsTo('timeline')[1]!.answer(timeline(11));
  expect(explorer.timeline?.total).toBe(11);
  expect(client.callsTo('timeline')).toHaveLength(3);
});

it('reads typed times in the zone of the view, and again when the zone changes', async () => {
  explorer.history.change({ zone: 'America/New_York' });
  expect(client.callsTo('timeline')).toHaveLength(1);
  await ask('time>=2026-03-03T09:05');
  expect(last().args.view).toMatchObject({ zone: 'America/New_York' });
  await last().answer(timeline(5));
  explorer.history.change({ zone: 'UTC' });
  expect(last().args.view).not.toHaveProperty('zone');
  expect(viewChanged).toHaveBeenLastCalledWith('all');
});

it('remembers a completed query when it was answered, and no failed one', async () => {
  const asked: string[] = [];
  const args = [new Lifetime(), client, '/a.case', viewChanged, undefined] as const;
  explorer = new Explorer(...args, (query) => asked.push(query));
  explorer.fit(100);
  await ask('a');
  expect(asked).toEqual([]);
  await last().answer(timeline(5));
  expect(asked).toEqual(['a']);
  explorer.ask('a (');
  await client
    .callsTo('check')
    .at(-1)!
    .answer(check('', { diagnostics: [wrong] }));
  await last().answer(timeline(5));
  await ask('/((a{9}){9}){9}/');
  await last().fail(new EngineError(invalid));
  await last().answer(timeline(5));
  expect(asked).toEqual(['a']);
  // Completed by key after it has run already.
  explorer.history.change({ query: 'b' });
  await client.callsTo('check').at(-1)!.answer(check('b'));
  await last().answer(timeline(1));
  expect(asked).toEqual(['a']);
  explorer.finish();
  expect(asked).toEqual(['a', 'b']);
});

describe('typing', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Lets a pause in typing pass, and answers the check of the text. */
  async function pause(ms: number, reply = check('')): Promise<boolean> {
    const before = client.callsTo('check').length;
    await vi.advanceTimersByTimeAsync(ms);
    const asked = client.callsTo('check').slice(before);
    for (const call of asked) void call.answer(reply);
    await vi.advanceTimersByTimeAsync(1);
    return asked.length > 0;
  }

  it('runs after a pause, which is longer within a word', async () => {
    explorer.type('err');
    explorer.type('error');
    expect(await pause(500)).toBe(false);
    expect(await pause(600)).toBe(true);
    expect(explorer.query).toBe('error');
    explorer.type('error "a b"');
    await pause(400);
    expect(explorer.query).toBe('error "a b"');
  });

  it('does not run an invalid query until Enter', async () => {
    explorer.type('status:');
    await pause(400, check('', { diagnostics: [wrong] }));
    expect(explorer.query).toBe('');
    explorer.ask();
    expect(explorer.query).toBe('status:');
  });

  it('runs at once with Enter, once, as one step of the history', async () => {
    explorer.type('error ');
    await pause(400);
    explorer.type('error x');
    explorer.ask();
    const asked = client.callsTo('timeline').length;
    await pause(2000);
    expect(client.callsTo('timeline')).toHaveLength(asked);
    explorer.history.undo();
    expect([explorer.query, explorer.draft]).toEqual(['', '']);
  });
});

it('requests events with the part before the pipes', async () => {
  explorer.ask('größe | stats count');
  const stages = [{ start: 10, end: 21 }];
  const asked = client.callsTo('timeline').length;
  await client.callsTo('check').at(-1)!.answer(check('größe', { stages }));
  expect(client.callsTo('timeline')).toHaveLength(asked + 1);
  expect(last().args.view.query).toBe('größe');
  expect(explorer.wholeView.query).toBe('größe | stats count');
  expect(explorer.parts.stages).toEqual(['stats count']);
});

describe('SQL', () => {
  const sql = 'SELECT count(*) FROM events';
  const sqlCheck = (more: Partial<QueryCheck> = {}) =>
    client
      .callsTo('check')
      .at(-1)!
      .answer(check('', { stages: [{ start: 0, end: 27 }], isSql: true, ...more }));

  it('makes a table, next to all events', async () => {
    const asked = client.callsTo('timeline').length;
    explorer.type(sql);
    explorer.run();
    expect(client.callsTo('timeline')).toHaveLength(asked);
    await sqlCheck();
    expect(last().args.view.query).toBe('');
    expect(explorer.wholeView.query).toBe(sql);
    expect([explorer.isSql, explorer.isPiped]).toEqual([true, true]);
    expect(explorer.history.current.tab).toBe('charts');
  });

  it('reports its error, with the position', async () => {
    explorer.ask(sql);
    await sqlCheck({ diagnostics: [{ ...wrong, start: 7, end: 12 }] });
    expect(explorer.mistake?.span).toEqual([7, 12]);
  });

  it('is replaced by a filter that is clicked', async () => {
    explorer.ask(sql);
    await sqlCheck();
    explorer.addClause('service', 'api', false);
    await settled();
    expect(client.callsTo('edit').at(-1)!.args.query).toBe('');
  });
});

describe('a query with stages that is run by key', () => {
  const stages = [{ start: 2, end: 13 }];
  const answerCheck = (more: Partial<QueryCheck>) =>
    client.callsTo('check').at(-1)!.answer(check('a', more));

  it('switches from the events to its result, in a step of its own', async () => {
    explorer.type('a | stats count');
    explorer.run();
    expect(explorer.history.current.tab).toBe('events');
    await answerCheck({ stages });
    expect(explorer.history.current.tab).toBe('charts');
    explorer.history.undo();
    expect([explorer.query, explorer.history.current.tab]).toEqual(['a | stats count', 'events']);
  });

  it('switches there after an error too', async () => {
    explorer.ask('(');
    await answerCheck({ diagnostics: [wrong] });
    expect(explorer.mistake).not.toBeNull();
    explorer.type('a | stats count');
    explorer.run();
    await answerCheck({ stages });
    expect(explorer.history.current.tab).toBe('charts');
  });

  it('always shows its result, wherever it is run, but not after a pause in typing', async () => {
    explorer.history.change({ tab: 'notes' });
    explorer.type('a | stats count');
    explorer.run();
    await answerCheck({ stages });
    expect(explorer.history.current.tab).toBe('charts');
    explorer.history.change({ tab: 'events' });
    explorer.ask('b | stats count');
    await answerCheck({ stages });
    expect(explorer.history.current.tab).toBe('events');
  });

  it('leaves the open board', async () => {
    const own = new Explorer(
      new Lifetime(),
      client,
      '/a.case',
      viewChanged,
      undefined,
      undefined,
      () => ({ charts: { board: null } }),
    );
    own.history.change({ tab: 'charts', charts: { board: 'b' } });
    own.run('a | stats count');
    await answerCheck({ stages });
    expect(own.history.current.charts).toEqual({ board: null });
  });

  it('stays in the tab that shows its error', async () => {
    explorer.type('a | stast count');
    explorer.run();
    await answerCheck({ stages, diagnostics: [{ ...wrong, start: 4, end: 9 }] });
    expect(explorer.history.current.tab).toBe('events');
  });
});

it('edits queries by clicks one after the other, on the latest text', async () => {
  explorer.addClause('a', '1', false);
  explorer.addClause('b', '2', true);
  await settled();
  expect(client.callsTo('edit')).toHaveLength(1);
  await client.callsTo('edit')[0]!.answer({ query: 'a=1' });
  expect(explorer.draft).toBe('a=1');
  expect(client.callsTo('edit')[1]!.args).toMatchObject({
    query: 'a=1',
    edit: { kind: 'add', clause: 'NOT b="2"' },
  });
  await client.callsTo('edit')[1]!.answer({ query: 'a=1 AND NOT b=2' });
  explorer.history.undo();
  expect(explorer.query).toBe('a=1');
});

describe('pinned clauses', () => {
  beforeEach(() => explorer.history.change({ pinned: ['host=a', 'x OR y'] }));

  const parsed = (...texts: string[]) =>
    check('', { clauses: texts.map((text) => ({ text, isNegated: false })) });
  const answerCheck = async (reply: QueryCheck) => {
    await settled();
    await client.callsTo('check').at(-1)!.answer(reply);
  };
  const edits = () => client.callsTo('edit');

  it('stay next to a filter that is typed over them, which stays as it was typed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    explorer.type('error ');
    vi.advanceTimersByTime(300);
    vi.useRealTimers();
    await answerCheck(parsed('error'));
    await answerCheck(parsed('error'));
    const clause = '(host=a) (x OR y)';
    expect(edits()[0]!.args).toMatchObject({ query: 'error', edit: { kind: 'add', clause } });
    const whole = 'error AND host=a AND (x OR y)';
    await edits()[0]!.answer({ query: whole });
    expect([explorer.query, explorer.draft, explorer.isRun]).toEqual([whole, 'error ', true]);
  });

  it('are not added to a text that has them, nor while they are switched off', async () => {
    explorer.history.change({ off: ['x OR y'] });
    explorer.run('host=a error');
    await answerCheck(parsed('host=a', 'error'));
    expect([explorer.query, edits()]).toEqual(['host=a error', []]);
    explorer.run('other');
    await answerCheck(parsed('other'));
    expect(edits()[0]!.args).toMatchObject({ edit: { clause: '(host=a)' } });
  });

  it('stay when the filter is cleared, or a value is clicked', async () => {
    explorer.run('');
    await answerCheck(parsed());
    await edits()[0]!.answer({ query: 'host=a AND (x OR y)' });
    expect([explorer.query, explorer.draft]).toEqual(['host=a AND (x OR y)', '']);
    explorer.addClause('b', '2', false);
    await answerCheck(parsed());
    await edits()[1]!.answer({ query: 'host=a AND (x OR y)' });
    expect(edits()[2]!.args).toMatchObject({
      query: 'host=a AND (x OR y)',
      edit: { clause: 'b="2"' },
    });
  });

  it('are no part of a text with an error, or of SQL', async () => {
    explorer.run('error (');
    await answerCheck(check('', { diagnostics: [wrong] }));
    await edits()[0]!.fail(new EngineError(invalid));
    expect(explorer.query).toBe('error (');
    explorer.run('SELECT 1');
    await answerCheck(check('', { isSql: true }));
    expect([explorer.query, edits().length]).toEqual(['SELECT 1', 1]);
  });

  it('become a part of the text when they are unpinned', async () => {
    explorer.run('error');
    await answerCheck(parsed('error'));
    await edits()[0]!.answer({ query: 'error AND host=a' });
    expect(explorer.draft).toBe('error');
    explorer.history.change({ pinned: [] });
    expect([explorer.draft, explorer.query]).toEqual(['error AND host=a', 'error AND host=a']);
  });

  it('do not hide the result of stages', async () => {
    explorer.run('b | stats count');
    await answerCheck(parsed('b'));
    await edits()[0]!.answer({ query: 'b AND host=a | stats count' });
    await answerCheck(check('b AND host=a', { stages: [{ start: 15, end: 26 }] }));
    expect(explorer.history.current.tab).toBe('charts');
  });

  it('do not return to a text that is typed on meanwhile', async () => {
    explorer.run('error');
    await answerCheck(parsed('error'));
    explorer.type('errors');
    await edits()[0]!.answer({ query: 'error AND host=a' });
    expect([explorer.query, explorer.draft]).toEqual(['', 'errors']);
  });
});

describe('a choice among the values of a field', () => {
  const status = valueField({ name: 'status', kinds: ['int'] });
  const include = (value: string) => explorer.choose(status, (now) => toggled(now, [value]));
  const edits = () => client.callsTo('edit');
  /** The clauses of the query that the next edit begins with. */
  const has = (...texts: string[]) =>
    client
      .callsTo('check')
      .at(-1)!
      .answer(
        check(texts.join(' AND '), {
          clauses: texts.map((text) => ({ text, isNegated: false })),
        }),
      );

  it('makes one clause of two quick clicks, each a step that can be undone', async () => {
    include('502');
    include('504');
    await settled();
    await has();
    expect(edits()[0]!.args).toMatchObject({ query: '', edit: { clause: 'status="502"' } });
    await edits()[0]!.answer({ query: 'status=502' });
    await has('status=502');
    expect(edits()[1]!.args).toMatchObject({
      query: 'status=502',
      edit: { kind: 'replace', at: 0, clause: 'status:("502" OR "504")' },
    });
    await edits()[1]!.answer({ query: 'status:(502 OR 504)' });
    expect(explorer.query).toBe('status:(502 OR 504)');
    explorer.history.undo();
    expect(explorer.query).toBe('status=502');
  });

  it('keeps a pinned clause pinned while it grows, and forgets it with its last value', async () => {
    await ask('status=502');
    explorer.history.change({ pinned: ['status=502'] });
    include('504');
    await settled();
    // What is pinned is still in the query.
    await has('status=502');
    await has('status=502');
    await edits()[0]!.answer({ query: 'status:(502 OR 504)' });
    await has('status:(502 OR 504)');
    expect(explorer.history.current.pinned).toEqual(['status:(502 OR 504)']);

    explorer.choose(status, () => NO_CHOICE);
    await settled();
    await has('status:(502 OR 504)');
    await has('status:(502 OR 504)');
    expect(edits()[1]!.args.edit).toEqual({ kind: 'remove', at: 0 });
    await edits()[1]!.answer({ query: '' });
    expect([explorer.query, explorer.history.current.pinned]).toEqual(['', []]);
  });

  it('shows the error of a query that cannot be edited', async () => {
    explorer.draft = 'a (';
    include('502');
    await settled();
    await has();
    await edits()[0]!.fail(new EngineError(invalid));
    await settled();
    expect(explorer.query).toBe('a (');
  });
});

it('restores view and draft after a restart', async () => {
  const kept = new Map<string, string>();
  const storage = {
    read: (name: string) => kept.get(name) ?? null,
    write: (name: string, text: string) => void kept.set(name, text),
  };
  const lifetime = new Lifetime();
  const before = new Explorer(lifetime, client, '/a.case', viewChanged, storage);
  before.ask('error');
  before.zoom({ from: asTime(5n), to: asTime(9n) });
  before.type('error x');
  lifetime.end();
  const after = new Explorer(new Lifetime(), client, '/a.case', viewChanged, storage);
  await client.callsTo('check').at(-1)!.answer(check('error'));
  expect(after.view).toMatchObject({ query: 'error', from: '5', to: '9' });
  expect(after.draft).toBe('error x');
});

it('names its order while the sorted column is hidden or reset, and clears it', () => {
  expect(explorer.chosenOrder).toBeNull();
  const columns = [{ field: 'took', widthPx: null, pinned: false }];
  const sort = { field: 'took', descending: true };
  explorer.history.change({ columns, sort });
  explorer.history.change({ columns: [] });
  expect(explorer.chosenOrder).toEqual(sort);
  explorer.clearOrder();
  expect([explorer.chosenOrder, explorer.listing.sort]).toEqual([null, null]);
  explorer.history.undo();
  expect(explorer.chosenOrder).toEqual(sort);
});

it('names the newest first as an order, below that of a column', () => {
  explorer.toggleOrder();
  const newest = { field: 'time', descending: true };
  expect(explorer.chosenOrder).toEqual(newest);
  explorer.history.change({ sort: { field: 'took', descending: false } });
  explorer.clearOrder();
  expect(explorer.chosenOrder).toEqual(newest);
  explorer.clearOrder();
  expect([explorer.chosenOrder, explorer.order]).toEqual([null, 'oldestFirst']);
});

it('sorts by best match, and returns to time order', () => {
  explorer.toggleBestMatch();
  expect(explorer.isByMatch).toBe(true);
  expect(explorer.listing.sort).toEqual({ field: 'relevance', descending: true });
  explorer.toggleBestMatch();
  expect(explorer.listing.sort).toBeNull();
  explorer.toggleBestMatch();
  explorer.toggleOrder();
  expect(explorer.isByMatch).toBe(false);
});
