import { expect, it } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import type { LiveAlert, LiveAlerts as Answer } from '../../ipc/generated';
import { FakeClient } from '../fakeclient';
import { LiveAlerts, MOST_NOTICES } from './livealerts.svelte';

const SEVERITY_OF: Readonly<Record<string, LiveAlert['alert']['severity']>> = { b: 'critical' };

const message = (
  number: number,
  id: string,
  state: LiveAlert['state'],
  detector = 'd',
): LiveAlert =>
  ({
    number,
    id,
    state,
    open: state === 'firing',
    retracted: false,
    quiet: detector === 'muted',
    alert: {
      detector,
      title: `Many of ${id}`,
      severity: SEVERITY_OF[id] ?? 'low',
      start: null,
      end: null,
      peak: null,
      events: 1,
      group: [],
      value: null,
      expected: null,
      basis: null,
      query: '',
      wider: false,
    },
  }) satisfies LiveAlert;

function opened() {
  const client = new FakeClient();
  const sent = new LiveAlerts(new Lifetime(), client, '/c');
  const answer = async (...alerts: LiveAlert[]) => {
    sent.look();
    const reply: Answer = { detectors: 1, alerts, problems: [], trouble: null };
    await client.callsTo('liveAlerts').at(-1)!.answer(reply);
  };
  return { client, sent, answer };
}

const ids = ({ notices }: LiveAlerts) => notices.map(({ id }) => id);

it('tells of an alert once, until it is over or put away', async () => {
  const { sent, answer } = opened();
  const [a, b] = [message(1, 'a', 'firing'), message(2, 'b', 'firing')];
  await answer(a, b);
  expect(ids(sent)).toEqual(['a', 'b']);
  sent.dismiss(2);
  await answer(a, b);
  expect(ids(sent)).toEqual(['a']);
  await answer(a, b, message(3, 'a', 'resolved'));
  expect(ids(sent)).toEqual([]);
  expect(sent.alerts.map(({ number }) => number)).toEqual([1, 2, 3]);
});

it('is quiet about muted detectors, and shows the newest of many', async () => {
  const { sent, answer } = opened();
  const many = ['a', 'b', 'c', 'd'].map((id, at) => message(at + 1, id, 'firing'));
  await answer(...many, message(9, 'm', 'firing', 'muted'));
  expect(ids(sent)).toEqual(['b', 'c', 'd']);
  expect(sent.notices).toHaveLength(MOST_NOTICES);
  expect(sent.alerts).toHaveLength(5);
});

it('calls a person who looks elsewhere once for all alerts that came, by the most serious', async () => {
  const { client, answer } = opened();
  const came = [message(1, 'a', 'firing'), message(2, 'b', 'firing'), message(3, 'c', 'firing')];
  await answer(...came);
  expect(client.calledBack).toEqual(['Many of b: Critical · and 2 other alerts']);
  await answer(...came, message(4, 'a', 'resolved'), message(5, 'm', 'firing', 'muted'));
  expect(client.calledBack).toHaveLength(1);
});

it('has the built-in detectors and folders of rules evaluated, too', async () => {
  const { client, sent } = opened();
  const reply = (starter: boolean, rules: string[]) =>
    client.callsTo('watchSets').at(-1)!.answer({ starter, rules });
  const asked = () => client.callsTo('watchSets').at(-1)!.args;
  sent.watchStarter(true);
  expect(client.callsTo('watchSets')).toHaveLength(0);
  sent.loadSets();
  expect(asked()).toEqual({ case: '/c', sets: null });
  await reply(false, ['/r']);
  expect([sent.isWatched(['/r']), sent.isWatched(['/r', '/s'])]).toEqual([true, false]);
  sent.watchRules(['/s'], true);
  expect(asked()).toEqual({ case: '/c', sets: { starter: false, rules: ['/r', '/s'] } });
  await reply(false, ['/r', '/s']);
  sent.watchStarter(true);
  expect(asked()).toEqual({ case: '/c', sets: { starter: true, rules: ['/r', '/s'] } });
  await reply(true, ['/r', '/s']);
  sent.watchRules(['/r'], false);
  expect(asked()).toEqual({ case: '/c', sets: { starter: true, rules: ['/s'] } });
});
