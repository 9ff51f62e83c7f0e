import { expect, it, vi } from 'vitest';

import type { CaseSummary } from '../../ipc/generated';
import { FakeClient, settled } from '../fakeclient';
import { Cases } from './cases.svelte';

const about = { path: '/c/a.case', name: 'a', events: 3, bytesOnDisk: 10 };

function made() {
  const client = new FakeClient();
  const steps: string[] = [];
  const step = (name: string) => () => {
    steps.push(`${name} ${client.calls.length}`);
    return Promise.resolve();
  };
  const failed = vi.fn();
  const listener = {
    renamed: ({ name }: CaseSummary) => void steps.push(`renamed ${name}`),
    copied: step('copied'),
    deleting: step('deleting'),
    deleted: step('deleted'),
    failed,
  };
  return { client, steps, failed, cases: new Cases(client, listener) };
}

it('renames a case, but not to nothing', async () => {
  const { client, cases, steps } = made();
  expect(await cases.rename(about, '  ')).toBe(false);
  const done = cases.rename(about, ' b ');
  expect(client.callsTo('renameCase')[0]!.args).toEqual({ path: '/c/a.case', name: 'b' });
  await client.callsTo('renameCase')[0]!.answer({ name: 'b' } as CaseSummary);
  expect([await done, steps]).toEqual([true, ['renamed b']]);
});

it('shows the progress of a copy and cancels it', async () => {
  const { client, cases, failed } = made();
  const done = cases.duplicate(about, 'a copy');
  const [call] = client.callsTo('duplicateCase');
  call!.options.progress!({ bytes: 1, of: 4 });
  expect(cases.copying).toBe(0.25);
  cases.cancelCopy();
  expect(call!.options.signal!.aborted).toBe(true);
  await call!.fail({ code: 'cancelled', message: 'Cancelled.' });
  expect([await done, cases.copying, failed.mock.calls.length]).toEqual([false, null, 0]);
});

it('closes a case before it deletes it, and tells why it could not', async () => {
  const { client, cases, steps, failed } = made();
  const done = cases.delete(about);
  await settled();
  await client.callsTo('deleteCase')[0]!.answer({});
  expect([await done, steps]).toEqual([true, ['deleting 0', 'deleted 1']]);
  const locked = cases.delete(about);
  await settled();
  await client.callsTo('deleteCase')[1]!.fail({ code: 'caseLocked', message: 'Locked.' });
  expect([await locked, failed.mock.calls[0]![0].code]).toEqual([false, 'caseLocked']);
});
