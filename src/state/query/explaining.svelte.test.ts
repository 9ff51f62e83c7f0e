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
  explaining.show(view, 'Europe/Berlin');
  return { client, explaining, call: client.callsTo('explain')[0]! };
}

it('keeps an answer until that of another query arrives', async () => {
  const { client, explaining, call } = shown();
  expect(call.args).toEqual({ view, zone: 'Europe/Berlin' });
  expect(explaining).toMatchObject({ busy: true, answer: null });
  await call.answer(explained);
  explaining.show({ ...view, query: 'refused' }, null);
  expect(explaining).toMatchObject({ busy: true, answer: explained });
  await client.callsTo('explain')[1]!.fail({ code: 'queryInvalid', message: 'no', hint: null });
  expect(explaining).toMatchObject({ busy: false, answer: null, failure: { message: 'no' } });
});

it('stops when it is closed, and forgets the answer', async () => {
  const { explaining, call } = shown();
  explaining.close();
  expect(call.options.signal!.aborted).toBe(true);
  await call.answer(explained);
  expect(explaining).toMatchObject({ isOpen: false, busy: false, answer: null });
});
