import { expect, it } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import { FakeClient } from '../fakeclient';
import { ComparedWords, haveWords } from './comparedwords.svelte';
import { ALL } from './sides';

const sides = { a: { ...ALL, query: 'NOT (level:error)' }, b: { ...ALL, query: 'level:error' } };
const answer = {
  words: [{ word: 'timeout', selected: 9, others: 1, score: 3 }],
  selected: 10,
  others: 90,
};

function shown() {
  const client = new FakeClient();
  const lifetime = new Lifetime();
  const words = new ComparedWords(lifetime, client, () => ({ casePath: '/a.case', zone: null }));
  words.show(sides);
  return { client, lifetime, words, call: client.callsTo('compareWords')[0]! };
}

it('asks once for sides until the case grows or other sides are shown', async () => {
  const { client, lifetime, words, call } = shown();
  expect(call.args).toMatchObject({
    a: { case: '/a.case', query: 'NOT (level:error)' },
    b: { case: '/a.case', query: 'level:error' },
  });
  await call.answer(answer);
  expect(words).toMatchObject({ value: answer, busy: false });
  words.stop();
  words.show(sides);
  expect(client.calls).toHaveLength(1);
  // The known words are shown until the next answer, marked as old.
  lifetime.grow();
  expect(words).toMatchObject({ value: answer, isStale: true, busy: true });
  words.show({ a: sides.b, b: sides.a });
  expect(client.callsTo('compareWords')[1]!.options.signal!.aborted).toBe(true);
});

it('asks again for what was stopped or failed', async () => {
  const { client, words } = shown();
  words.stop();
  words.show(sides);
  await client.callsTo('compareWords')[1]!.fail({ code: 'internal', message: 'broken' });
  expect(words).toMatchObject({ error: { message: 'broken' }, value: null });
  words.stop();
  words.show(sides);
  expect(client.calls).toHaveLength(3);
  expect(words.error).toBeNull();
});

it('knows sides without words in a case', () => {
  expect(haveWords(sides)).toBe(true);
  expect(haveWords({ ...sides, a: { ...ALL, elsewhere: '/cases/yesterday.case' } })).toBe(true);
  expect(haveWords({ ...sides, a: { ...ALL, elsewhere: 'remote:prod' } })).toBe(false);
});
