import { expect, test } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import type { RemoteList } from '../../ipc/generated';
import { FakeClient } from '../fakeclient';
import { RemoteAnswers } from './remoteanswers.svelte';
import { Remotes } from './remotes.svelte';

const LIST: RemoteList = {
  allOff: false,
  remotes: [
    {
      name: 'prod',
      path: 'remote:prod',
      url: 'https://logs.example:9200',
      index: 'logs-*',
      timeField: null,
      credentials: 'no credentials',
      ca: null,
      fingerprint: null,
      off: false,
    },
  ],
};

test('the list stays when a change fails, and the reason is kept', async () => {
  const client = new FakeClient();
  const remotes = new Remotes(new Lifetime(), client);
  const loaded = remotes.load();
  await client.callsTo('remotes')[0]!.answer(LIST);
  expect(await loaded).toBe(true);
  const added = remotes.add({
    name: 'prod',
    url: 'https://a',
    index: 'x',
    timeField: null,
    apiKeyFile: null,
    user: null,
    passwordFile: null,
    ca: null,
  });
  await client
    .callsTo('addRemote')[0]!
    .fail({ code: 'badRequest', message: 'There is a cluster named "prod" already.' });
  expect(await added).toBe(false);
  expect(remotes.failure?.message).toContain('already');
  expect(remotes.list).toEqual(LIST);
});

test('a switch for all clusters ends the running test', async () => {
  const client = new FakeClient();
  const remotes = new Remotes(new Lifetime(), client);
  void remotes.test('prod');
  expect(remotes.tests.get('prod')).toBe('running');
  void remotes.switch(null, true);
  const [test] = client.callsTo('checkRemote');
  expect(test!.options.signal?.aborted).toBe(true);
  expect(client.callsTo('switchRemote')[0]!.args).toEqual({ name: null, off: true });
  await test!.fail({ code: 'cancelled', message: 'Cancelled.' });
  expect(remotes.tests.has('prod')).toBe(false);
});

test('what an answer lacks is said until the same call has a whole answer', async () => {
  const client = new FakeClient();
  const answers = new RemoteAnswers();
  const listening = answers.listening(client);
  const view = { case: 'remote:prod', query: '', from: null, to: null };
  const timeline = { revision: 1, start: '0', bucketNs: '1', series: [], total: 0, untimed: 0 };
  const reply = { ...timeline, fraction: 1, elapsedMs: 1 };
  const missing = ['1 of 2 shards failed'];
  void listening.call('timeline', { view, buckets: 4 });
  await client
    .callsTo('timeline')[0]!
    .answer({ ...reply, remote: { missing, inexact: [], notes: ['a'] } } as never);
  void listening.call('aggregate', { view, by: [], measures: [] });
  await client
    .callsTo('aggregate')[0]!
    .answer({ remote: { missing, inexact: [], notes: ['b'] } } as never);
  expect(answers.of('events')).toEqual({ missing, inexact: [], notes: ['a'] });
  expect(answers.of('charts')).toEqual({ missing, inexact: [], notes: ['a', 'b'] });
  void listening.call('patterns', { view } as never);
  const sample = { missing: [], inexact: [], notes: ['a sample'] };
  await client.callsTo('patterns')[0]!.answer({ remote: sample } as never);
  expect(answers.of('patterns')).toEqual({ missing, inexact: [], notes: ['a', 'a sample'] });
  expect(answers.of('events').notes).toEqual(['a']);
  void listening.call('timeline', { view, buckets: 4 });
  await client.callsTo('timeline')[1]!.answer(reply as never);
  expect(answers.of('events')).toEqual({ missing: [], inexact: [], notes: [] });
});

test('an answer that nobody waits for is not heard', async () => {
  const client = new FakeClient();
  const answers = new RemoteAnswers();
  const abort = new AbortController();
  const view = { case: 'remote:prod', query: '', from: null, to: null };
  void answers.listening(client).call('timeline', { view, buckets: 4 }, { signal: abort.signal });
  abort.abort();
  await client
    .callsTo('timeline')[0]!
    .answer({ remote: { missing: ['x'], inexact: [], notes: [] } } as never);
  expect(answers.of('events').missing).toEqual([]);
});
