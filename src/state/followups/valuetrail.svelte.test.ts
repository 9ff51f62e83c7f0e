import { expect, it } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import { EngineError } from '../../ipc/client';
import { FakeClient } from '../fakeclient';
import { ValueTrail } from './valuetrail.svelte';

const refused = new EngineError({
  code: 'queryInvalid',
  message: '`order.id` holds numbers, and `b7` is none',
  hint: null,
  path: null,
  span: null,
});

function following() {
  const client = new FakeClient();
  const trail = new ValueTrail(new Lifetime(), client, '/a.case', 'b7');
  trail.load();
  return { trail, naming: () => client.callsTo('linked').at(-1)! };
}

it('shows a failure to find other names only where they were asked for, until they are again', async () => {
  const { trail, naming } = following();
  await naming().answer(null);
  trail.findNames();
  await naming().fail(refused);
  expect(trail.problem).toBeNull();
  expect([trail.namingFailure, trail.linking]).toMatchObject([{ code: 'queryInvalid' }, null]);
  trail.findNames();
  expect([trail.namingFailure, trail.linking]).toEqual([null, 0]);
  await naming().answer({ ids: [], query: '', events: 0 });
  expect(trail.namingFailure).toBeNull();
});

it('does not fail where nobody asked for other names', async () => {
  const { trail, naming } = following();
  expect(naming().args.onlyKnown).toBe(true);
  await naming().fail(refused);
  expect([trail.problem, trail.namingFailure, trail.linked.value]).toEqual([null, null, null]);
});
