import { beforeEach, expect, it, vi } from 'vitest';

import { unreachable } from '../../ipc/client';
import { FakeClient } from '../fakeclient';
import { Connection } from './connection.svelte';

const restart = vi.fn();
let client: FakeClient;
let connection: Connection;

beforeEach(() => {
  vi.clearAllMocks();
  client = new FakeClient();
  connection = new Connection(client, restart);
});

const last = () => client.calls.at(-1)!;

async function failedCall(): Promise<void> {
  const call = connection.client.call('sample', {});
  const failed = expect(call).rejects.toMatchObject({ code: 'unreachable' });
  await last().fail(unreachable('gone'));
  await failed;
}

it('is lost if the engine answers nothing any more, and starts again once it does', async () => {
  await failedCall();
  expect(last().name).toBe('hello');
  await last().fail(unreachable('gone'));
  expect(connection.lost).toBe(true);
  void connection.reconnect();
  await last().fail(unreachable('gone'));
  expect(restart).not.toHaveBeenCalled();
  void connection.reconnect();
  await last().answer({} as never);
  expect(restart).toHaveBeenCalledOnce();
});

it('is not lost if only one call failed, or failed for another reason', async () => {
  await failedCall();
  await last().answer({} as never);
  expect(connection.lost).toBe(false);
  const call = connection.client.call('sample', {});
  const failed = expect(call).rejects.toThrow();
  await last().fail({ code: 'internal', message: 'm' });
  await failed;
  expect(client.callsTo('hello')).toHaveLength(1);
});
