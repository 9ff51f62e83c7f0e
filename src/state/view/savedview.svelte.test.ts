import { expect, it } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import { asTime } from '../../base/time';
import type { Nanos } from '../../ipc/generated';
import { FakeClient } from '../fakeclient';
import { Explorer } from './explorer.svelte';
import { START } from './viewstate';

it('shows a saved view as one step, with its relative range as it is now', async () => {
  const range = { from: asTime(0n), to: asTime(5n), written: 'now-5m' };
  const client = new FakeClient();
  const explorer = new Explorer(new Lifetime(), client, '/a.case', () => {});
  const parts = { ...START, query: 'a', range, zone: 'Asia/Kolkata', tab: 'patterns' };
  const shown = explorer.show({ name: 'mine', query: 'a', parts });
  const stretch = client.callsTo('stretch')[0]!;
  expect(stretch.args).toMatchObject({ from: 'now-5m', zone: 'Asia/Kolkata' });
  await stretch.answer({ from: '10' as Nanos, to: '15' as Nanos });
  await shown;
  expect(explorer.history.current).toMatchObject({
    query: 'a',
    tab: 'patterns',
    range: { from: 10n, to: 15n, written: 'now-5m' },
  });
  expect(explorer.draft).toBe('a');
  explorer.history.undo();
  expect(explorer.history.current).toEqual(START);
});
