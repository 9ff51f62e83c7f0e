import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import type { Note, Notes as WireNotes } from '../../ipc/generated';
import { FakeClient } from '../fakeclient';
import { noStorage, type CaseStorage } from '../workbench/casestorage';
import { Markers } from './markers.svelte';
import { entries } from './notedevents.svelte';
import { Notebook } from './notebook.svelte';
import { Notes } from './notes.svelte';

const EVENT = { source: 1, offset: 20 };

function note(kind: string, id: string, part: Partial<Note> = {}): Note {
  return {
    kind,
    id,
    revision: 1,
    created: '0' as Note['created'],
    changed: '0' as Note['changed'],
    event: null,
    from: null,
    to: null,
    text: '',
    data: null,
    ...part,
  };
}

function reply(part: Partial<WireNotes>): WireNotes {
  return {
    mark: 's:1',
    whole: false,
    notes: [],
    removed: [],
    readOnly: null,
    keptAside: [],
    ...part,
  };
}

let lifetime: Lifetime;

beforeEach(() => (lifetime = new Lifetime()));
afterEach(() => lifetime.end());

async function opened(stored: Note[], storage: CaseStorage = noStorage) {
  const client = new FakeClient();
  const markers = new Markers();
  const notes = new Notes(lifetime, client, 'c', markers);
  notes.start();
  await client.callsTo('notes')[0]!.answer(reply({ whole: true, notes: stored }));
  const notebook = new Notebook(lifetime, notes, storage);
  return { client, markers, notes, notebook };
}

test('listeners hear of new notes from here and elsewhere, not of existing ones', async () => {
  const client = new FakeClient();
  const changed = vi.fn();
  const notes = new Notes(lifetime, client, 'c', new Markers(), { changed });
  notes.start();
  await client.callsTo('notes')[0]!.answer(reply({ whole: true, notes: [note('star', '1@20')] }));
  expect(changed).not.toHaveBeenCalled();
  void notes.look();
  await client
    .callsTo('notes')[1]!
    .answer(reply({ removed: [{ kind: 'star', id: '1@20' }] as never }));
  expect(changed).toHaveBeenCalledOnce();
});

test('notes are grouped by event, and markers go to the timeline', async () => {
  const { notes, markers } = await opened([
    note('star', '1@20', { event: EVENT }),
    note('tag', '1@20 x', { event: EVENT, text: 'x' }),
    note('marker', 'm', { from: '5' as never, to: '5' as never, text: 'here' }),
    note('marker', 'n', { from: '5' as never, to: '9' as never }),
  ]);
  expect(notes.about(EVENT).star?.id).toBe('1@20');
  expect(notes.about(EVENT).tags.map(({ text }) => text)).toEqual(['x']);
  expect(notes.about({ source: 0, offset: 20 }).star).toBeNull();
  expect(markers.list.map(({ from, to, label }) => [from, to, label])).toEqual([
    [5n, null, 'here'],
    [5n, 9n, ''],
  ]);
});

test('a star is added to all events, and removed if all have one', async () => {
  const { client, notes } = await opened([note('star', '1@20', { event: EVENT })]);
  const other = { source: 1, offset: 30 };
  void notes.toggleStar([EVENT, other]);
  const put = client.callsTo('changeNotes')[0]!;
  expect(put.args.put!.map(({ id }) => id)).toEqual(['1@30']);
  await put.answer({
    made: {
      mark: 's:2',
      notes: [note('star', '1@30', { event: other, revision: 2 })],
      removed: [],
    },
    conflicts: [],
  });
  void notes.toggleStar([EVENT, other]);
  expect(client.callsTo('changeNotes')[1]!.args.remove!.map(({ id }) => id)).toEqual([
    '1@20',
    '1@30',
  ]);
});

test('changes of another window arrive with the next poll', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const client = new FakeClient();
  const notes = new Notes(lifetime, client, 'c', new Markers());
  notes.start();
  vi.useRealTimers();
  await client.callsTo('notes')[0]!.answer(reply({ whole: true, notes: [note('tag', 'a')] }));
  void notes.look();
  expect(client.callsTo('notes')[1]!.args.since).toBe('s:1');
  const removed = [{ kind: 'tag', id: 'a' }];
  await client
    .callsTo('notes')[1]!
    .answer(reply({ mark: 's:3', notes: [note('tag', 'b')], removed }));
  expect([...notes.all.keys()]).toEqual(['tag b']);
});

test('a failure is reported and nothing is lost', async () => {
  const { client, notes } = await opened([note('star', '1@20', { event: EVENT })]);
  const kept = notes.comment([EVENT], ' why ');
  await client.callsTo('changeNotes')[0]!.fail({ code: 'readOnly', message: 'It is read-only.' });
  expect(await kept).toBe(false);
  expect(notes.failure?.code).toBe('readOnly');
  expect(notes.about(EVENT).star).not.toBeNull();
});

test('a page is a draft until the case has it, and survives the window', async () => {
  let stored: string | null = null;
  const storage: CaseStorage = { read: () => stored, write: (_, text) => (stored = text) };
  const { client, notes, notebook } = await opened([], storage);
  notebook.create('Found', 'text');
  const again = new Notebook(lifetime, notes, storage);
  expect(again.pages.map(({ title, text }) => [title, text])).toEqual([['Found', 'text']]);
  notebook.flush();
  const put = client.callsTo('changeNotes')[0]!;
  const draft = put.args.put![0]!;
  expect([draft.kind, draft.known, draft.data]).toEqual(['page', 0, { title: 'Found', place: 1 }]);
  const made = note('page', draft.id, { text: 'text', revision: 4, data: draft.data });
  await put.answer({ made: { mark: 's:4', notes: [made], removed: [] }, conflicts: [] });
  expect(notebook.isDirty(draft.id)).toBe(false);
  expect(notebook.page?.known).toBe(4);
  expect(stored).toBe('[]');
});

test('what is added to a page is a block of its own, also below a fence without an end', async () => {
  const { notebook } = await opened([]);
  notebook.create('Found', '```text\nnever ended');
  notebook.cite([EVENT], '');
  notebook.cite([EVENT], '');
  const cell = '```event\n1@20\n```';
  expect(notebook.page?.text).toBe(`\`\`\`text\nnever ended\n\`\`\`\n\n${cell}\n\n${cell}\n`);
});

test('a conflict on a page is resolved by choosing one of the two versions', async () => {
  const { client, notebook } = await opened([note('page', 'p', { text: 'old' })]);
  notebook.edit({ text: 'mine' });
  notebook.flush();
  const current = note('page', 'p', { text: 'theirs', revision: 7 });
  const put = client.callsTo('changeNotes')[0]!;
  expect(put.args.put![0]!.known).toBe(1);
  await put.answer({ made: null, conflicts: [{ kind: 'page', id: 'p', current }] });
  expect(notebook.theirs?.text).toBe('theirs');
  expect(notebook.page?.text).toBe('mine');
  notebook.resolve(true);
  expect(client.callsTo('changeNotes')[1]!.args.put![0]!).toMatchObject({ text: 'mine', known: 7 });
});

test('the list of notes is sorted by time and can be filtered', async () => {
  const late = { source: 0, offset: 1 };
  const { notes } = await opened([
    note('star', '1@20', { event: EVENT }),
    note('tag', '0@1 x', { event: late, text: 'x' }),
    note('marker', 'm', { from: '15' as never, to: '15' as never }),
  ]);
  const evidence = new Map(
    [
      [EVENT, '10'],
      [late, '20'],
    ].map(([id, time]) => [
      `${(id as typeof late).source}@${(id as typeof late).offset}`,
      { row: { id, time } } as never,
    ]),
  );
  const keys = (narrowed: Parameters<typeof entries>[2]) =>
    entries(notes, evidence, narrowed).map(({ key }) => key);
  expect(keys('all')).toEqual(['1@20', 'marker m', '0@1']);
  expect(keys('stars')).toEqual(['1@20']);
  expect(keys('markers')).toEqual(['marker m']);
  expect(keys({ tag: 'x' })).toEqual(['0@1']);
});

test('a comment is edited from the revision that was seen, and not over a concurrent change', async () => {
  const seen = note('comment', 'c1', { event: EVENT, text: 'first', revision: 4 });
  const { client, notes } = await opened([seen]);
  const kept = notes.editComment(seen, ' second ');
  const put = client.callsTo('changeNotes')[0]!;
  expect(put.args.put).toEqual([
    expect.objectContaining({ kind: 'comment', id: 'c1', event: EVENT, text: 'second', known: 4 }),
  ]);
  const theirs = { ...seen, text: 'theirs', revision: 5 };
  await put.answer({
    made: null,
    conflicts: [{ kind: 'comment', id: 'c1', current: theirs }],
  });
  expect(await kept).toBe(false);
  expect(notes.latest(seen).text).toBe('theirs');
});

test('a removal can be undone until another note is written', async () => {
  const comment = note('comment', 'c1', { event: EVENT, text: 'why' });
  const { client, notes } = await opened([comment]);
  const made = (put: Note[], removed: { kind: string; id: string }[]) => ({
    made: { mark: 's:2', notes: put, removed },
    conflicts: [],
  });
  const removed = notes.remove(comment);
  await client.callsTo('changeNotes')[0]!.answer(made([], [{ kind: 'comment', id: 'c1' }]));
  expect(await removed).toBe(true);
  expect(notes.about(EVENT).comments).toEqual([]);
  expect(notes.removed).toEqual([comment]);
  const back = notes.bringBack();
  const put = client.callsTo('changeNotes')[1]!;
  expect(put.args.put).toEqual([
    expect.objectContaining({ id: 'c1', event: EVENT, text: 'why', known: 0 }),
  ]);
  await put.answer(made([{ ...comment, revision: 3 }], []));
  expect(await back).toBe(true);
  expect(notes.about(EVENT).comments.map(({ text }) => text)).toEqual(['why']);
  expect(notes.removed).toEqual([]);
});

test('a time range is starred, tagged, commented on like an event, and drawn', async () => {
  const span = { from: '5' as never, to: '9' as never };
  const { client, notes, markers } = await opened([
    note('star', '5..9', span),
    note('comment', 'c', { ...span, text: 'outage' }),
  ]);
  expect(notes.about(span).comments.map(({ text }) => text)).toEqual(['outage']);
  expect(markers.list.map(({ from, to, label }) => [from, to, label])).toEqual([
    [5n, 9n, '★ · outage'],
  ]);
  expect(entries(notes, new Map(), 'stars').map(({ key, span: of }) => [key, of])).toEqual([
    ['5..9', span],
  ]);
  void notes.tag([span], ' slow ');
  expect(client.callsTo('changeNotes')[0]!.args.put).toEqual([
    { kind: 'tag', id: '5..9 slow', from: '5', to: '9', text: 'slow' },
  ]);
  markers.opened(markers.list[0]!);
  expect(notes.asking).toMatchObject({ kind: 'comment', comment: { text: 'outage' } });
});
