import { beforeEach, expect, it } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import type { Aggregate, Nanos, Timeline, View } from '../../ipc/generated';
import { FakeClient } from '../fakeclient';
import { SplitTimeline } from './splittimeline.svelte';
import { timelineData } from './timelinedata';
import { START } from '../view/viewstate';

const wire = (total: number): Timeline => ({
  revision: 1,
  start: '0' as Nanos,
  bucketNs: '10' as Nanos,
  series: [{ level: 'info', counts: [total, 0] }],
  total,
  untimed: 0,
  fraction: 1,
  elapsedMs: 1,
});
const hosts: Aggregate = {
  revision: 1,
  axes: [
    { kind: 'time', edges: ['0', '10'] as Nanos[] },
    {
      kind: 'terms',
      field: 'host',
      values: [{ kind: 'text', text: 'a', number: null }],
      distinct: 1,
    },
  ],
  counts: [4, 0, 1],
  measured: [],
  total: 5,
  untimed: 0,
  fraction: 1,
  elapsedMs: 1,
};
const view = (query: string): View => ({ case: '/a.case', query, from: null, to: null });
const byHost = { ...START.timeline, split: 'host' };

let client: FakeClient;
let split: SplitTimeline;
beforeEach(() => {
  client = new FakeClient();
  split = new SplitTimeline(new Lifetime(), client);
});

it('shows levels at once, without another request', () => {
  split.show(timelineData('k', null, wire(5)), view(''), START.timeline, 100);
  expect(split.lanes?.split).toBe('level');
  expect(client.calls).toEqual([]);
});

it('keeps the current lanes until a field is counted, in the buckets of the timeline', async () => {
  split.show(timelineData('k', null, wire(5)), view(''), START.timeline, 100);
  split.show(timelineData('k', null, wire(5)), view(''), byHost, 100);
  expect(split.lanes?.split).toBe('level');
  const asked = client.callsTo('aggregate')[0]!;
  expect(asked.args.by[0]).toMatchObject({ interval: { kind: 'fixed', ns: '10' } });
  await asked.answer(hosts);
  expect(split.lanes).toMatchObject({ split: 'host', lanes: [{ sums: [5, 0] }] });
});

it('shows levels and the reason if a field cannot be counted', async () => {
  split.show(timelineData('k', null, wire(5)), view(''), byHost, 100);
  await client.callsTo('aggregate')[0]!.fail(new Error('too many values'));
  expect(split.lanes?.split).toBe('level');
  expect(split.failure?.message).toBe('too many values');
});

it('requests the coverage once per range, only if the view is filtered', async () => {
  split.show(timelineData('k', null, wire(5)), view('error'), START.timeline, 100);
  await client.callsTo('timeline')[0]!.answer(wire(9));
  expect(split.coverage?.total).toBe(9);
  split.show(timelineData('l', null, wire(3)), view('warn'), START.timeline, 100);
  expect(client.callsTo('timeline')).toHaveLength(1);
  split.show(timelineData('m', null, wire(9)), view(''), START.timeline, 100);
  expect(split.coverage).toBeNull();
});

it('counts pinned patterns without the filter, as lanes below the others', async () => {
  const pinned = [{ id: 't00c0ffee00c0ffee', text: 'worker started' }];
  const choice = { ...START.timeline, pinned };
  split.show(timelineData('k', null, wire(5)), view('status:500'), choice, 100);
  expect(split.lanes?.lanes).toHaveLength(1);
  const [call] = client.callsTo('aggregate');
  expect(call!.args.view.query).toBe('template:t00c0ffee00c0ffee');
  await call!.answer(hosts);
  expect(split.lanes).toMatchObject({
    isLaned: true,
    lanes: [{ label: 'Matching events' }, { label: 'worker started', isPinned: true }],
  });
  split.show(timelineData('k', null, wire(5)), view('status:500'), START.timeline, 100);
  expect(split.lanes).toMatchObject({ isLaned: false, lanes: [{ label: null }] });
});

it('shows the names of pinned patterns, also those that they get later', async () => {
  let name = '';
  const shown = (id: string, text: string) => (name === '' ? text : `${name} ${id.slice(0, 3)}`);
  const named = new SplitTimeline(new Lifetime(), client, '', shown);
  const pinned = [{ id: 't00c0ffee00c0ffee', text: 'worker started' }];
  const data = timelineData('k', null, wire(5));
  named.show(data, view(''), { ...START.timeline, pinned }, 100);
  await client.callsTo('aggregate').at(-1)!.answer(hosts);
  expect(named.lanes?.lanes[1]?.label).toBe('worker started');
  name = 'Start';
  named.show(timelineData('l', null, wire(5)), view(''), { ...START.timeline, pinned }, 100);
  expect(named.lanes?.lanes[1]).toMatchObject({ label: 'Start t00', pattern: pinned[0]!.id });
});
