import { afterEach, beforeEach, expect, it } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import type { Note, NoteDraft } from '../../ipc/generated';
import { boardOf, Boards, moved, type BoardChart } from './boards.svelte';
import { specOf } from '../charts/chartspec';
import { FakeClient, settled } from '../fakeclient';
import { Markers } from '../notes/markers.svelte';
import { Notes } from '../notes/notes.svelte';

let client: FakeClient;
let boards: Boards;
let notes: Notes;
let lifetime: Lifetime;

const chart = (id: string): BoardChart => ({
  id,
  title: id.toUpperCase(),
  filter: '',
  spec: specOf({ field: 'duration_ms' }),
  stages: null,
  wide: false,
});

function noteOf(draft: NoteDraft, revision: number): Note {
  const plain = {
    created: '0',
    changed: '0',
    event: null,
    from: null,
    to: null,
  } as unknown as Note;
  return { ...plain, ...draft, text: draft.text ?? '', revision } as Note;
}

/** Answers the last change like a store without other writers. */
async function stored(revision: number): Promise<void> {
  await settled();
  const call = client.callsTo('changeNotes').at(-1)!;
  const notes = (call.args.put ?? []).map((draft) => noteOf(draft, revision));
  const removed = call.args.remove ?? [];
  await call.answer({ made: { mark: String(revision), notes, removed }, conflicts: [] });
}

beforeEach(() => {
  client = new FakeClient();
  lifetime = new Lifetime();
  notes = new Notes(lifetime, client, '/c', new Markers());
  boards = new Boards(client, notes);
});
afterEach(() => lifetime.end());

it('keeps a board in the case and reads it back the same', async () => {
  const own = { title: null, filter: 'service=cart' };
  const making = boards.create('Speed', [
    { ...chart('a'), stages: '| stats count' },
    { ...chart('b'), ...own },
  ]);
  await stored(1);
  const id = await making;
  const [board] = boards.list;
  expect(board).toMatchObject({ id, name: 'Speed', revision: 1 });
  const kept = client.callsTo('changeNotes')[0]!.args.put![0]!;
  expect(boardOf(noteOf(JSON.parse(JSON.stringify(kept)) as NoteDraft, 1))).toEqual(board);
});

it('reads what it understands of a modified board', () => {
  for (const data of [null, 3, { charts: 'x' }, { charts: [null, { id: 3 }, { title: 'x' }] }]) {
    expect(boardOf(noteOf({ kind: 'board', id: 'b', text: 'B', data }, 2)).charts).toEqual([]);
  }
});

it('charts that had no filter follow the view, as they did', () => {
  const data = { charts: [{ id: 'a', title: 'A', filter: 3 }, { id: 'b' }] };
  expect(boardOf(noteOf({ kind: 'board', id: 'b', text: 'B', data }, 2)).charts).toMatchObject([
    { id: 'a', title: 'A', filter: '' },
    { id: 'b', title: null, filter: '' },
  ]);
});

it('repeats a change on top of a concurrent one', async () => {
  const making = boards.create('Speed', [chart('a')]);
  await stored(1);
  const id = await making;
  const adding = boards.change(id, (board) => ({
    ...board,
    charts: [...board.charts, chart('mine')],
  }));
  await settled();
  const [, first] = client.callsTo('changeNotes');
  expect(first!.args.put![0]!.known).toBe(1);
  const theirs = { charts: [chart('a'), chart('theirs')] };
  const current = noteOf({ kind: 'board', id, text: 'Faster', data: theirs }, 5);
  await first!.answer({ made: null, conflicts: [{ kind: 'board', id, current }] });
  await stored(6);
  await adding;
  expect(boards.list[0]).toMatchObject({ name: 'Faster', revision: 6 });
  expect(boards.list[0]!.charts.map((each) => each.id)).toEqual(['a', 'theirs', 'mine']);
});

it('restores a removed chart and a removed board', async () => {
  const making = boards.create('Speed', [chart('a'), chart('b')]);
  await stored(1);
  const id = await making;
  void boards.removeChart(id, 'a', 'A');
  await stored(2);
  expect(boards.removed?.name).toBe('A');
  expect(boards.list[0]!.charts.map((each) => each.id)).toEqual(['b']);
  void boards.restore();
  await stored(3);
  expect(boards.list[0]!.charts.map((each) => each.id)).toEqual(['a', 'b']);
  void boards.remove(id);
  await stored(4);
  expect(boards.list).toEqual([]);
  void boards.restore();
  await stored(5);
  expect(boards.list).toMatchObject([{ id, name: 'Speed' }]);
});

it('reports a failure and continues with the next change', async () => {
  void boards.create('Speed');
  await settled();
  await client.callsTo('changeNotes')[0]!.fail({ code: 'readOnly', message: 'no' });
  expect(boards.failure).not.toBeNull();
  void boards.create('Again');
  await stored(1);
  expect(boards.failure).toBeNull();
  expect(boards.list).toHaveLength(1);
});

it('follows the changes and removals of other windows with the notes, without a load of its own', async () => {
  void notes.look();
  await settled();
  const note = (id: string) => noteOf({ kind: 'board', id, text: id, data: { charts: [] } }, 1);
  const answer = { mark: 'm', whole: true, removed: [], readOnly: null, keptAside: [] };
  const star = noteOf({ kind: 'star', id: '0:1' }, 1);
  await client.callsTo('notes')[0]!.answer({ ...answer, notes: [note('a'), note('b'), star] });
  expect(boards.list.map(({ id }) => id)).toEqual(['a', 'b']);
  void notes.look();
  await settled();
  expect(client.callsTo('notes')[1]!.args.since).toBe('m');
  const removed = [{ kind: 'board', id: 'a' }];
  await client
    .callsTo('notes')[1]!
    .answer({ ...answer, whole: false, notes: [note('c')], removed });
  expect(boards.list.map(({ id }) => id)).toEqual(['b', 'c']);
});

it('moves an entry of a list to another position', () => {
  expect(moved(['a', 'b', 'c'], 0, 2)).toEqual(['b', 'c', 'a']);
  expect(moved(['a', 'b', 'c'], 2, 0)).toEqual(['c', 'a', 'b']);
  expect(moved(['a', 'b', 'c'], 1, 99)).toEqual(['a', 'c', 'b']);
  expect(moved(['a', 'b'], 1, -1)).toEqual(['b', 'a']);
});
