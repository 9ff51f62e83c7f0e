import { expect, it } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import { parseTime } from '../../base/time';
import type { Compared } from '../../ipc/generated';
import { sidesAgainst } from '../compare/sides';
import { FakeClient, settled } from '../fakeclient';
import { Difference, SHOWN } from './difference.svelte';

const range = { from: parseTime('2026-03-01T14:00')!, to: parseTime('2026-03-01T15:00')! };
const sides = sidesAgainst('rest', { query: 'level:error', range, whole: range })!;
const found = (fraction: number, rows: number) =>
  ({ fraction, differences: Array.from({ length: rows }, () => ({})) }) as unknown as Compared;

function shown() {
  const client = new FakeClient();
  const difference = new Difference(new Lifetime(), client, () => ({ casePath: '/c', zone: null }));
  difference.show(sides);
  const call = client.callsTo('compare')[0]!;
  return { difference, call };
}

it('compares the range with the same query at all other times, and shows rows as they come', async () => {
  const { difference, call } = shown();
  expect(call.args).toMatchObject({
    a: { query: 'level:error NOT (time>=2026-03-01T14:00:00Z time<2026-03-01T15:00:00Z)' },
    b: { query: 'level:error', from: '1772373600000000000' },
    limit: SHOWN,
  });
  call.options.progress!(found(0.1, 0));
  expect(difference).toMatchObject({ value: null, busy: true });
  call.options.progress!(found(0.4, 2));
  expect(difference.value?.differences).toHaveLength(2);
  await call.answer(found(1, 1));
  expect(difference).toMatchObject({ busy: false, value: { fraction: 1 } });
});

it('drops what is not wanted any more, and says that it failed', async () => {
  const { difference, call } = shown();
  difference.stop();
  expect(call.options.signal!.aborted).toBe(true);
  call.options.progress!(found(0.4, 2));
  expect(difference.value).toBeNull();

  const other = shown();
  await other.call.fail({ code: 'internal', message: 'broken' });
  await settled();
  expect(other.difference).toMatchObject({
    error: { message: 'broken' },
    value: null,
    busy: false,
  });
});
