import { expect, it } from 'vitest';

import { asTime } from '../../base/time';
import type { Note, NoteDraft, NoteRemoval } from '../../ipc/generated';
import { START } from '../view/viewstate';
import type { CaseStorage } from '../workbench/casestorage';
import { SavedQueries, type SavedParts } from './savedqueries.svelte';

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

it('keeps one view per name, in the case', async () => {
  const store = notes();
  const queries = new SavedQueries(memory(), store);
  const save = (name: string, query: string) => queries.save(name, { ...START, query });
  await save('slow', 'duration_ms>1000');
  await save('errors', 'level>=error');
  await save('errors', 'level>=warn');
  await save('gone', 'x');
  await queries.remove('gone');
  expect(new SavedQueries(memory(), store).saved).toMatchObject([
    { name: 'errors', query: 'level>=warn' },
    { name: 'slow', query: 'duration_ms>1000' },
  ]);
});

it('a saved view keeps query, range, columns, order, tab, chart and zone, and nothing else', async () => {
  const store = notes();
  const parts: SavedParts = {
    query: 'time>=09:05',
    off: ['a'],
    pinned: ['b'],
    range: { from: asTime(0n), to: asTime(5n), written: 'now-5m' },
    order: 'newestFirst',
    sort: { field: 'bytes', descending: true },
    columns: [{ field: 'bytes', widthPx: 90, pinned: false }],
    tab: 'patterns',
    charts: { chart: { gaps: 'zero' } },
    zone: 'America/New_York',
  };
  const view = { ...START, ...parts, comparison: { a: {} } };
  await new SavedQueries(memory(), store).save('mine', view);
  expect(new SavedQueries(memory(), store).saved).toEqual([
    { name: 'mine', query: parts.query, parts },
  ]);
  // A follow-up tab is not saved with it.
  const followUps = [{ id: 'f', kind: 'follow', title: 'f', about: null }];
  await new SavedQueries(memory(), store).save('mine', { ...view, followUps, tab: 'f' });
  expect(new SavedQueries(memory(), store).saved[0]?.parts?.tab).toBe('events');
});

it('reads queries that were saved alone, and damaged views as these', async () => {
  const store = notes();
  await store.change([{ kind: 'query', id: 'old', text: 'a' }]);
  await store.change([{ kind: 'query', id: 'wrong', text: 'b', data: { view: 'x' } }]);
  expect(new SavedQueries(memory(), store).saved).toEqual([
    { name: 'old', query: 'a', parts: null },
    { name: 'wrong', query: 'b', parts: null },
  ]);
});

it('ignores modified storage', () => {
  expect(new SavedQueries(memory({ recent: '{' }), notes()).recent).toEqual([]);
  expect(new SavedQueries(memory({ recent: '[1, "a"]' }), notes()).recent).toEqual(['a']);
});
