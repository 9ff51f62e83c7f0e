import { expect, test } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import type { PushPlan, PushReport } from '../../ipc/generated';
import { FakeClient } from '../fakeclient';
import { indexNameFrom, Push } from './push.svelte';

const VIEW = { case: '/c', query: 'level:error', from: null, to: null };
const BODY = { index_patterns: ['shop'] };

function plan(sentBefore = 0): PushPlan {
  const template = { body: BODY, decisions: [], measured: 10 };
  return { events: 10, sentBefore, url: 'http://a:9200', template };
}

const REPORT: PushReport = {
  pushed: { created: 10, known: 0, skipped: 0, refused: {}, bytes: 1, retries: 0 },
  hours: 1,
  different: 0,
  listed: [],
  problem: null,
};

async function planned() {
  const client = new FakeClient();
  const lifetime = new Lifetime();
  const push = new Push(lifetime, client);
  push.open(VIEW, 'Shop');
  push.form.remote = 'prod';
  push.look();
  await client.callsTo('planPush')[0]!.answer(plan());
  return { client, lifetime, push };
}

test('the template that was shown is the one that is created, and only that', async () => {
  const { client, push } = await planned();
  expect(push.left).toBe(10);
  push.form.index = 'other';
  expect([push.plan, push.isChanged]).toEqual([null, true]);
  await push.start();
  expect(client.callsTo('push')).toEqual([]);
  push.form.index = 'shop';
  push.form.rate = 5;
  const done = push.start();
  const [call] = client.callsTo('push');
  expect(call!.args).toMatchObject({ view: VIEW, remote: 'prod', index: 'shop', rate: 5 });
  expect(call!.args.template).toEqual(BODY);
  await call!.answer(REPORT);
  await done;
  expect([push.phase, push.isDone]).toEqual(['ended', true]);
  expect(client.calledBack).toEqual(['Push: 10 events created in shop']);
  push.close();
  expect(push.phase).toBe('choosing');
});

test('a push that is stopped says what is kept, and how many events are left', async () => {
  const { client, push } = await planned();
  const done = push.start();
  push.open({ ...VIEW, query: '*' }, 'Shop');
  expect(push.view).toEqual(VIEW);
  push.close();
  expect(push.phase).toBe('running');
  push.stop();
  const [call] = client.callsTo('push');
  expect(call!.options.signal!.aborted).toBe(true);
  await call!.fail({ code: 'cancelled', message: 'Stopped.', hint: '4 of 10 are there.' });
  await done;
  await client.callsTo('planPush')[1]!.answer(plan(4));
  expect([push.failure?.hint, push.left, push.isDone]).toEqual(['4 of 10 are there.', 6, false]);
  expect(client.calledBack).toEqual([]);
});

test('a push ends with its case', async () => {
  const { client, lifetime, push } = await planned();
  void push.start();
  lifetime.end();
  expect(client.callsTo('push')[0]!.options.signal!.aborted).toBe(true);
});

test.each([
  ['Mixed logs', 'mixed-logs'],
  ['_A/b*c.case', 'a-b-c.case'],
  ['Ошибки 5', 'ошибки-5'],
  ['***', 'timberline'],
])('the index of the case %s is %s', (name, index) => {
  expect(indexNameFrom(name)).toBe(index);
});
