import { expect, it } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import type { Context, Row } from '../../ipc/generated';
import { Surroundings } from './surroundings.svelte';
import { FakeClient } from '../fakeclient';

const row = (offset: number) => ({ id: { source: 0, offset } }) as Row;
const answer = (before: Row[]): Context =>
  ({ event: row(9), before, after: [], elapsedMs: 1 }) as unknown as Context;

it('keeps the label of the old events until the new ones arrive', async () => {
  const client = new FakeClient();
  const around = new Surroundings(new Lifetime(), client, '/c', { source: 0, offset: 9 });
  around.load();
  await client.callsTo('context')[0]!.answer(answer([row(1)]));
  expect(around.answered).toBe('file');

  around.look('everywhere');
  expect(around.where).toBe('everywhere');
  expect(around.answered).toBe('file');
  await client.callsTo('context')[1]!.answer(answer([row(1), row(2)]));
  expect(around.answered).toBe('everywhere');
  expect(around.rows).toHaveLength(3);
  // Events are shown with their message first, as in the list.
  expect(client.callsTo('context').map(({ args }) => args.columns)).toEqual([
    ['message'],
    ['message'],
  ]);
});
