import { expect, it } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import type { ServiceMap, View } from '../../ipc/generated';
import { FakeClient } from '../fakeclient';
import { likelyId, ServiceMaps } from './servicemap.svelte';

const view: View = { case: '/a.case', query: '', from: null, to: null };
const map = { revision: 1, places: [], nodes: [], edges: [], ids: 3 } as unknown as ServiceMap;

it('chooses the id that several services are most likely to write', () => {
  expect(likelyId(['host', 'order.id', 'request_id', 'trace_id'])).toBe('trace_id');
  expect(likelyId(['host', 'session', 'order.id'])).toBe('order.id');
  expect(likelyId(['x-request-id', 'bytes'])).toBe('x-request-id');
  expect(likelyId(['host', 'status', 'tracer'])).toBeNull();
});

it('asks only while it is shown and an id is chosen, and keeps the last answer', async () => {
  const client = new FakeClient();
  const maps = new ServiceMaps(new Lifetime(), client);
  maps.show(view);
  maps.choose({ id: 'trace_id' });
  expect(client.calls).toHaveLength(0);
  maps.shown = true;
  expect(client.callsTo('serviceMap')[0]!.args).toMatchObject({ id: 'trace_id', node: 'source' });
  await client.callsTo('serviceMap')[0]!.answer(map);
  expect(maps.value?.map).toBe(map);
  maps.choose({ node: 'service' });
  expect(maps.value?.choice.node).toBe('source');
  await client.callsTo('serviceMap')[1]!.fail({ code: 'badRequest', message: 'no field' });
  expect(maps.failure).not.toBeNull();
  expect(maps.value?.map).toBe(map);
});

it('names the nodes by the service where the case has that field, until a person chooses', () => {
  const maps = new ServiceMaps(new Lifetime(), new FakeClient());
  maps.suggest(['host', 'trace_id'], null);
  expect(maps.choice).toMatchObject({ id: 'trace_id', node: 'source' });
  maps.suggest(['host', 'service.name', 'trace_id'], 'service.name');
  expect(maps.choice).toMatchObject({ id: 'trace_id', node: 'service.name' });
  maps.choose({ node: 'host' });
  maps.suggest(['host', 'service', 'service.name', 'trace_id'], 'service');
  expect(maps.choice.node).toBe('host');
});

it('names the nodes by their sources where no id has events of two services', async () => {
  const client = new FakeClient();
  const maps = new ServiceMaps(new Lifetime(), client);
  maps.show(view);
  maps.shown = true;
  maps.suggest(['service', 'trace_id'], 'service');
  await client.callsTo('serviceMap')[0]!.answer(map);
  maps.fallBack();
  expect(client.callsTo('serviceMap')[1]!.args).toMatchObject({ node: 'source' });
  maps.suggest(['service', 'trace_id'], 'service');
  expect(maps.choice.node).toBe('source');
  // A person's choice stays, even if it has no steps.
  maps.choose({ node: 'service' });
  await client.callsTo('serviceMap').at(-1)!.answer(map);
  maps.fallBack();
  expect(maps.choice.node).toBe('service');
});
