import { expect, it } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import type { Explained, View } from '../../ipc/generated';
import { FakeClient } from '../fakeclient';
import { Explaining } from './explaining.svelte';

const view: View = { case: '/a.case', query: 'timeout | stats count()', from: null, to: null };
const explained: Explained = { found: null, calculated: 'By kernels.' };

function shown() {
  const client = new FakeClient();
  const explaining = new Explaining(new Lifetime(), client);
  explaining.isOpen = true;
  explaining.ask({ view, zone: 'Europe/Berlin' });
  return { client, explaining, call: client.callsTo('explain')[0]! };
}

it('keeps an answer until that of another query arrives', async () => {
  const { client, explaining, call } = shown();
  expect(call.args).toEqual({ view, zone: 'Europe/Berlin' });
  expect(explaining).toMatchObject({ busy: true, value: null });
  await call.answer(explained);
  explaining.ask({ view: { ...view, query: 'refused' }, zone: null });
  expect(explaining).toMatchObject({ busy: true, value: explained, isStale: true });
  await client.callsTo('explain')[1]!.fail({ code: 'queryInvalid', message: 'no', hint: null });
  expect(explaining).toMatchObject({ busy: false, ownValue: null, error: { message: 'no' } });
});

it('stops when it is closed, and forgets the answer', async () => {
  const { explaining, call } = shown();
  explaining.close();
  expect(call.options.signal!.aborted).toBe(true);
  await call.answer(explained);
  expect(explaining).toMatchObject({ isOpen: false, busy: false, value: null });
});
