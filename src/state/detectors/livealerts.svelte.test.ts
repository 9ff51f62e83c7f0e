import { expect, it } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import type { LiveAlert, LiveAlerts as Answer } from '../../ipc/generated';
import { FakeClient } from '../fakeclient';
import { LiveAlerts, MOST_NOTICES } from './livealerts.svelte';

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
    alert: { detector },
  }) as LiveAlert;

function opened() {
  const client = new FakeClient();
  const sent = new LiveAlerts(
    new Lifetime(),
    client,
    '/c',
    ({ alert }) => alert.detector === 'muted',
  );
  const answer = async (...alerts: LiveAlert[]) => {
    sent.look();
    const reply: Answer = { detectors: 1, alerts, problems: [], trouble: null };
    await client.callsTo('liveAlerts').at(-1)!.answer(reply);
  };
  return { sent, answer };
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
