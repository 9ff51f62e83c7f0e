import { expect, it } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import type { Ahead } from '../../ipc/generated';
import { FakeClient } from '../fakeclient';
import { FileScan } from './filescan.svelte';

const ahead = (lines: number, fraction: number): Ahead => ({
  lines,
  first: [],
  files: 1,
  others: 0,
  fraction,
  elapsedMs: 1,
});

it('shows partial results, and only those of the latest request', async () => {
  const client = new FakeClient();
  const look = new FileScan(new Lifetime(), client);
  look.ask({ paths: ['/a.log'], query: 'error' });
  const [first] = client.callsTo('ahead');
  first!.options.progress?.(ahead(2, 0.5));
  expect(look.found?.lines).toBe(2);
  look.ask({ paths: ['/a.log'], query: 'errors' });
  expect(look.found).toBeNull();
  first!.options.progress?.(ahead(3, 0.6));
  await first!.answer(ahead(4, 1));
  expect(look.found).toBeNull();
  await client.callsTo('ahead')[1]!.answer(ahead(7, 1));
  expect(look.found?.lines).toBe(7);
  look.forget();
  expect(look.found).toBeNull();
});
