import { expect, it } from 'vitest';

import type { EventDetail } from '../../ipc/generated';
import { FakeClient } from '../fakeclient';
import { EventValues } from './eventvalues';

const detail = { fields: [] } as unknown as EventDetail;

it('asks for an event once while the pointer is on it, and again after a failure', async () => {
  const client = new FakeClient();
  const values = new EventValues(client, '/a.case', () => false);
  const first = values.of({ source: 0, offset: 5 });
  void values.of({ source: 0, offset: 5 });
  expect(client.callsTo('event')).toHaveLength(1);
  await client.callsTo('event')[0]!.answer(detail);
  expect(await first).toBe(detail);
  const other = values.of({ source: 0, offset: 9 });
  await client.callsTo('event')[1]!.fail({ code: 'internal', message: 'm' });
  expect(await other).toBeNull();
  void values.of({ source: 0, offset: 9 });
  expect(client.callsTo('event')).toHaveLength(3);
});

it('does not ask a cluster', async () => {
  const client = new FakeClient();
  expect(await new EventValues(client, '/a', () => true).of({ source: 0, offset: 5 })).toBeNull();
  expect(client.calls).toEqual([]);
});
