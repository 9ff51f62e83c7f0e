import { expect, it } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import type { Contract, Nanos, Pattern } from '../../ipc/generated';
import { FakeClient } from '../fakeclient';
import type { CaseStorage } from '../workbench/casestorage';
import { FirstLook } from './firstlook.svelte';
import { timelineData } from './timelinedata';

function stored(): CaseStorage {
  const kept = new Map<string, string>();
  return {
    read: (name) => kept.get(name) ?? null,
    write: (name, text) => void kept.set(name, text),
  };
}

const data = timelineData('k', null, {
  revision: 1,
  start: '1000' as Nanos,
  bucketNs: '10' as Nanos,
  series: [{ level: 'error', counts: [1, 2, 1, 2, 90, 1, 2, 1, 2, 1] }],
  total: 103,
  untimed: 0,
  fraction: 1,
  elapsedMs: 0,
});
const pattern = (count: number, elsewhere: number) => ({ count, elsewhere }) as Pattern;

it('compares the spike with the rest, once, until a person goes on', async () => {
  const client = new FakeClient();
  const storage = stored();
  const look = new FirstLook(new Lifetime(), client, storage);
  look.show('/c', data);
  look.show('/c', data);
  expect(look.spike).toMatchObject({ range: { from: 1040n, to: 1050n }, errors: 90 });
  const calls = client.callsTo('patterns');
  expect(calls).toHaveLength(1);
  expect(calls[0]!.args).toMatchObject({
    view: { from: '1040', to: '1050' },
    compare: true,
    against: { from: '1000', to: '1040' },
  });
  const patterns = [pattern(5, 0), pattern(80, 4), pattern(0, 9), pattern(5, 0)];
  await calls[0]!.answer({ patterns } as Contract['patterns']['reply']);
  expect(look.newPatterns).toBe(2);
  look.end();
  const again = new FirstLook(new Lifetime(), client, storage);
  expect(again.isOver).toBe(true);
  again.show('/c', data);
  expect(client.callsTo('patterns')).toHaveLength(1);
});
