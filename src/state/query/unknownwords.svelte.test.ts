import { expect, it } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import { FakeClient } from '../fakeclient';
import { UnknownWords } from './unknownwords.svelte';

const query = 'timout | stats count() by level';
const near = { word: 'timeout', events: 7, query: 'timeout | stats count() by level' };
const words = [{ word: 'timout', start: 0, end: 6, nearest: [near] }];

function looking() {
  const client = new FakeClient();
  const lifetime = new Lifetime();
  const unknown = new UnknownWords(lifetime, client, '/a.case');
  unknown.look(query);
  return { client, lifetime, unknown, call: client.callsTo('unknownWords')[0]! };
}

it('finds words that no event has, and suggests similar ones, of this query only', async () => {
  const { unknown, call } = looking();
  expect(call.args).toEqual({ case: '/a.case', query });
  expect(unknown.wordsOf(query)).toEqual([]);
  await call.answer({ words });
  expect(unknown.wordsOf(query)).toEqual(words);
  expect(unknown.wordsOf('timeout')).toEqual([]);
});

it('is asked once by all parts of the screen, and again when the case has grown or it failed', async () => {
  const { client, lifetime, unknown, call } = looking();
  unknown.look(query);
  await call.answer({ words });
  unknown.look(query);
  expect(client.calls).toHaveLength(1);
  lifetime.grow();
  // Known words stay until the new answer.
  expect(unknown.wordsOf(query)).toEqual(words);
  await client.callsTo('unknownWords')[1]!.fail({ code: 'internal' });
  unknown.stop();
  unknown.look(query);
  expect(client.calls).toHaveLength(3);
  unknown.look('');
  expect(client.calls).toHaveLength(3);
});
