import { expect, it } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import type { Nanos, Seismograph as Answer, View } from '../../ipc/generated';
import { FakeClient } from '../fakeclient';
import { Seismograph } from './seismograph.svelte';

const view: View = { case: '/a.case', query: '', from: null, to: null };
const answer: Answer = {
  revision: 1,
  rows: [],
  distinct: 0,
  total: 0,
  without: 0,
  start: '0' as Nanos,
  binNs: '10' as Nanos,
  all: [1, 2],
  elapsedMs: 1,
};

it('asks only while it is shown, again for another granularity, and keeps its picture meanwhile', async () => {
  const client = new FakeClient();
  const seismograph = new Seismograph(new Lifetime(), client);
  seismograph.show(view, null);
  expect(client.calls).toHaveLength(0);
  seismograph.shown = true;
  await client.callsTo('seismograph')[0]!.answer(answer);
  expect(seismograph.value).toMatchObject({ bins: 2, domain: { from: 0n, to: 20n } });
  const shown = seismograph.value;
  seismograph.cut('shape');
  expect(client.callsTo('seismograph')[1]!.args.granularity).toBe('shape');
  expect(seismograph.value).toBe(shown);
  seismograph.cut('shape');
  expect(client.calls).toHaveLength(2);
});
