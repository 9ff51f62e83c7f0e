import { expect, it } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import { asTime, DAY } from '../../base/time';
import type { EventsReply, Pattern, Patterns, View } from '../../ipc/generated';
import { FakeClient } from '../fakeclient';
import { baselineRange, Templates } from './templates.svelte';

const ID = 't0123456789abcdef';
const view: View = { case: '/c', query: 'error', from: null, to: null };
const patterns = (...found: Partial<Pattern>[]) => ({ patterns: found }) as unknown as Patterns;

it('shows example events of an expanded pattern', async () => {
  const client = new FakeClient();
  const templates = new Templates(new Lifetime(), client);
  templates.show(view);
  templates.unfold(ID);
  expect(client.callsTo('patterns')[0]!.args).toMatchObject({ variables: [ID], examples: 3 });
  const id = { source: 1, offset: 20 };
  await client.callsTo('patterns')[0]!.answer(patterns({ id: ID, examples: [id] }));
  expect(client.callsTo('events')[0]!.args).toEqual({ case: '/c', ids: [id] });
  const reply = { events: [{ row: { id } }] } as unknown as EventsReply;
  await client.callsTo('events')[0]!.answer(reply);
  expect(templates.details.value?.examples).toEqual([{ id }]);
  expect(templates.details.value?.pattern?.id).toBe(ID);
  templates.fold();
  expect(templates.details.value).toBeNull();
});

it('looks up the text of a template once, in the whole case', async () => {
  const client = new FakeClient();
  const templates = new Templates(new Lifetime(), client);
  templates.show({ ...view, from: '5' as View['from'] });
  templates.lookUp('level:error');
  expect(client.calls).toHaveLength(0);

  templates.lookUp(`NOT template:${ID}`);
  const [call] = client.callsTo('patterns');
  expect(call!.args.view).toEqual({ ...view, query: `template:${ID}` });
  expect(call!.args.granularity).toBe('template');
  expect(templates.named(`template=${ID}`)).toBeNull();
  await call!.answer(patterns({ id: 't1111111111111111', text: 'worker <num> started' }));
  expect(templates.named(`template=${ID}`)).toEqual({ id: ID, text: 'worker <num> started' });
  templates.lookUp(`template=${ID}`);
  expect(client.calls).toHaveLength(1);
});

it('compares a range with the rest, with earlier times, or with a chosen range', () => {
  const shown = { from: asTime(1_000n), to: asTime(1_100n) };
  const chosen = { from: asTime(10n), to: asTime(20n) };
  expect(baselineRange('rest', shown, chosen)).toBeNull();
  expect(baselineRange('before', shown, null)).toEqual({ from: 900n, to: 1_000n });
  expect(baselineRange('day', shown, null)?.from).toBe(1_000n - DAY);
  expect(baselineRange('week', shown, null)?.to).toBe(1_100n - 7n * DAY);
  expect(baselineRange('chosen', shown, chosen)).toBe(chosen);

  const client = new FakeClient();
  const templates = new Templates(new Lifetime(), client);
  templates.shown = true;
  templates.show({ ...view, from: '1000' as View['from'], to: '1100' as View['to'] });
  expect(client.callsTo('patterns')[0]!.args.against).toBeUndefined();
  templates.choose(chosen);
  expect(client.callsTo('patterns').at(-1)!.args.against).toEqual({ from: '10', to: '20' });
  templates.choose(null);
  expect([templates.baseline, templates.against(shown)]).toEqual(['rest', null]);
});

it('requests all patterns once when they are searched or sorted', async () => {
  const client = new FakeClient();
  const templates = new Templates(new Lifetime(), client);
  templates.shown = true;
  templates.show(view);
  const calls = () => client.callsTo('patterns');
  expect(calls().at(-1)!.args).toMatchObject({ limit: 200, examples: 1 });
  templates.find('pool');
  expect(calls().at(-1)!.args.limit).toBe(10_000);
  await calls().at(-1)!.answer(patterns());
  templates.find('pool timeout');
  templates.sortBy('last');
  expect(calls()).toHaveLength(2);
  templates.find('');
  expect(calls()).toHaveLength(2);
  templates.sortBy('usual');
  expect(calls().at(-1)!.args.limit).toBe(200);
});
