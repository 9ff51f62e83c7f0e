import { expect, it } from 'vitest';

import type { Note, NoteDraft, NoteRemoval } from '../../ipc/generated';
import type { CaseStorage } from '../workbench/casestorage';
import { SavedQueries } from './savedqueries.svelte';

function memory(start: Record<string, string> = {}): CaseStorage {
  const kept = new Map(Object.entries(start));
  return { read: (name) => kept.get(name) ?? null, write: (name, text) => kept.set(name, text) };
}

/** Notes that are stored at once, by name. */
function notes() {
  const kept = new Map<string, Note>();
  return {
    ofKind: (kind: string) => [...kept.values()].filter((note) => note.kind === kind),
    change: (put: NoteDraft[], remove: NoteRemoval[] = []) => {
      put.forEach((draft) => kept.set(draft.id, draft as Note));
      remove.forEach(({ id }) => kept.delete(id));
      return Promise.resolve(true);
    },
  };
}

it('keeps recent queries, the latest first and each once, over a restart', () => {
  const storage = memory();
  const queries = new SavedQueries(storage, notes());
  ['a', 'b', 'a', 'a', ''].forEach((query) => queries.asked(query));
  expect(queries.recent).toEqual(['a', 'b']);
  expect(new SavedQueries(storage, notes()).recent).toEqual(['a', 'b']);
  for (let at = 0; at < 200; at += 1) queries.asked(`q${at}`);
  expect(queries.recent).toHaveLength(50);
  expect(queries.recent[0]).toBe('q199');
});

it('keeps one query per name, in the case', async () => {
  const store = notes();
  const queries = new SavedQueries(memory(), store);
  await queries.save('slow', 'duration_ms>1000');
  await queries.save('errors', 'level>=error');
  await queries.save('errors', 'level>=warn');
  await queries.save('gone', 'x');
  await queries.remove('gone');
  expect(new SavedQueries(memory(), store).saved).toEqual([
    { name: 'errors', query: 'level>=warn' },
    { name: 'slow', query: 'duration_ms>1000' },
  ]);
});

it('ignores modified storage', () => {
  expect(new SavedQueries(memory({ recent: '{' }), notes()).recent).toEqual([]);
  expect(new SavedQueries(memory({ recent: '[1, "a"]' }), notes()).recent).toEqual(['a']);
});
