import { expect, it } from 'vitest';

import { settled } from './fakeclient';
import type { Keep } from './kept';
import { Queries } from './queries.svelte';

function memory(start: Record<string, string> = {}): Keep {
  const kept = new Map(Object.entries(start));
  return { read: (name) => kept.get(name) ?? null, write: (name, text) => kept.set(name, text) };
}

it('remembers what was asked, the last first and each once, over a restart', () => {
  const keep = memory();
  const queries = new Queries(keep);
  ['a', 'b', 'a', 'a', ''].forEach((query) => queries.asked(query));
  expect(queries.recent).toEqual(['a', 'b']);
  expect(new Queries(keep).recent).toEqual(['a', 'b']);
  for (let at = 0; at < 200; at += 1) queries.asked(`q${at}`);
  expect(queries.recent).toHaveLength(50);
  expect(queries.recent[0]).toBe('q199');
});

it('keeps one query under a name', async () => {
  const keep = memory();
  const queries = new Queries(keep);
  await queries.save('errors', 'level>=error');
  await queries.save('slow', 'duration_ms>1000');
  await queries.save('errors', 'level>=warn');
  await queries.remove('slow');
  expect(queries.saved).toEqual([{ name: 'errors', query: 'level>=warn' }]);
  const again = new Queries(keep);
  await settled();
  expect(again.saved).toEqual(queries.saved);
});

it('takes what somebody meddled with for nothing', async () => {
  const queries = new Queries(memory({ recent: '{', saved: '[1, null, {"name": "a"}]' }));
  await settled();
  expect([queries.recent, queries.saved]).toEqual([[], []]);
});
