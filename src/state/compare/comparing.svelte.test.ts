import { expect, it } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import { parseTime } from '../../base/time';
import type { Compared, Contract, QueryCheck } from '../../ipc/generated';
import { FakeClient, settled } from '../fakeclient';
import { ViewHistory } from '../view/history.svelte';
import { Comparing } from './comparing.svelte';
import { ALL, type ComparedSides } from './sides';

const range = { from: parseTime('2026-03-01T14:00')!, to: parseTime('2026-03-01T15:00')! };
const ranges: ComparedSides = { a: { ...ALL, range, isOutside: true }, b: { ...ALL, range } };
const found = (fraction: number, events: [number, number] = [5, 7]) =>
  ({ fraction, events, differences: [], notes: [] }) as unknown as Compared;
const check = (part: Partial<QueryCheck>) =>
  ({ diagnostics: [], clauses: [], stages: [], isSql: false, filter: '', ...part }) as QueryCheck;

function screen() {
  const client = new FakeClient();
  const history = new ViewHistory();
  const lifetime = new Lifetime();
  const place = () => ({ casePath: '/c', zone: null });
  const comparing = new Comparing(lifetime, client, place, history);
  return { client, lifetime, history, comparing, calls: () => client.callsTo('compare') };
}

it('compares what the view says, shows the first rows, and comes back to the whole answer', async () => {
  const { client, history, comparing, calls } = screen();
  comparing.compare(ranges);
  expect(history.current.tab).toBe('compare');
  expect(comparing.sides).toEqual(ranges);
  expect(client.calls).toEqual([]);
  comparing.show(comparing.sides);
  await settled();
  const [call] = calls();
  expect(call!.args).toMatchObject({
    a: { query: 'NOT (time>=2026-03-01T14:00:00Z time<2026-03-01T15:00:00Z)', from: null },
    b: { query: '', from: '1772373600000000000' },
  });
  call!.options.progress!(found(0.3));
  expect(comparing.value?.fraction).toBe(0.3);
  await call!.answer(found(1));
  expect([comparing.value?.fraction, comparing.isOf(ranges)]).toEqual([1, true]);
  // The tab is left and shown again.
  comparing.show(null);
  comparing.show(ranges);
  await settled();
  expect(calls()).toHaveLength(1);

  comparing.swap();
  expect(comparing.sides).toEqual({ a: ranges.b, b: ranges.a });
  expect(comparing.isOf(comparing.sides!)).toBe(false);
  comparing.show(comparing.sides);
  await settled();
  expect(calls()).toHaveLength(2);
  history.undo();
  expect(comparing.sides).toEqual(ranges);
});

it('keeps what was found until it was cancelled, and goes on if it is wanted', async () => {
  const { comparing, lifetime, calls } = screen();
  comparing.show(ranges);
  await settled();
  calls()[0]!.options.progress!(found(0.6));
  comparing.cancel();
  expect(calls()[0]!.options.signal!.aborted).toBe(true);
  calls()[0]!.options.progress!(found(0.9));
  expect(comparing).toMatchObject({ busy: false, isCancelled: true, value: { fraction: 0.6 } });
  // What grows meanwhile is not compared, because a person stopped it.
  lifetime.grow();
  await settled();
  expect(calls()).toHaveLength(1);
  comparing.retry();
  await settled();
  await calls()[1]!.answer(found(1));
  expect(comparing).toMatchObject({ isCancelled: false, value: { fraction: 1 } });
});

it('names the side whose filter is wrong, and keeps the last answer', async () => {
  const { client, comparing, calls } = screen();
  comparing.show(ranges);
  await settled();
  await calls()[0]!.answer(found(1));
  const checks = () => client.callsTo('check');
  const both: ComparedSides = {
    a: { ...ALL, query: 'a:(' },
    b: { ...ALL, query: 'x | stats count()' },
  };
  comparing.show(both);
  await settled();
  const diagnostic = {
    isError: true,
    message: 'A bracket is open.',
    hint: 'Close it.',
    start: 2,
    end: 3,
  };
  await checks()[0]!.answer(
    check({ diagnostics: [diagnostic as QueryCheck['diagnostics'][number]] }),
  );
  await checks()[1]!.answer(check({ stages: [{ start: 4, end: 17 }] as QueryCheck['stages'] }));
  expect(comparing.mistakes.a?.message).toBe('A bracket is open.');
  expect(comparing.mistakes.b?.message).toContain('stages');
  expect(comparing).toMatchObject({ busy: false, value: { fraction: 1 }, failure: null });
  expect(calls()).toHaveLength(1);

  comparing.show({ ...both, a: ALL, b: { ...ALL, query: 'x' } });
  await settled();
  await checks()[2]!.answer(check({ filter: 'x' }));
  await calls()[1]!.fail({ code: 'internal', message: 'broken', hint: null });
  expect(comparing.failure).not.toBeNull();
  comparing.retry();
  await settled();
  await checks()[3]!.answer(check({ filter: 'x' }));
  await calls()[2]!.answer(found(1));
  expect(comparing).toMatchObject({ failure: null, mistakes: { a: null, b: null } });
});

it('shows the events of a side with what a row is about', async () => {
  const { client, history, comparing } = screen();
  comparing.compare({
    a: { ...ALL, query: 'a OR b', range, isOutside: true },
    b: { ...ALL, range },
  });
  const shown = comparing.showEvents('b', 'status=500');
  const edited = () => client.callsTo('edit');
  expect(edited()[0]!.args).toMatchObject({
    query: '',
    edit: { kind: 'add', clause: 'status=500' },
  });
  await edited()[0]!.answer({ query: 'status=500' } as Contract['edit']['reply']);
  await shown;
  expect(history.current).toMatchObject({ tab: 'events', query: 'status=500', range });

  // Without the engine's help a longer query means the same.
  const outside = comparing.showEvents('a', 'status=500');
  await edited()[1]!.fail({ code: 'unreachable', message: 'gone' });
  await edited()[2]!.fail({ code: 'unreachable', message: 'gone' });
  await outside;
  expect(history.current.range).toBeNull();
  expect(history.current.query).toMatch(/^\(\(a OR b\) status=500\) NOT \(time>=/);
});

it('compares again when the case has grown, without going back to first rows', async () => {
  const { comparing, lifetime, calls } = screen();
  comparing.show(ranges);
  await settled();
  await calls()[0]!.answer(found(1));
  lifetime.grow();
  await settled();
  calls()[1]!.options.progress!(found(0.2, [6, 8]));
  expect(comparing.value?.events).toEqual([5, 7]);
  await calls()[1]!.answer(found(1, [6, 8]));
  expect(comparing.value?.events).toEqual([6, 8]);
});
