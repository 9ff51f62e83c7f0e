import { expect, it, vi } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import type {
  Alert,
  DetectorEntry,
  DetectorList,
  DetectorRun,
  DetectorRuns,
  Note,
  NotesChanged,
} from '../../ipc/generated';
import { FakeClient } from '../fakeclient';
import { Markers } from '../notes/markers.svelte';
import { Notes } from '../notes/notes.svelte';
import type { UndoableChange } from '../view/history.svelte';
import { Detectors } from './detectors.svelte';

const note = (part: Partial<Note>) =>
  ({ revision: 1, event: null, from: null, to: null, text: '', data: null, ...part }) as Note;
const entry = (name: string, own = false) =>
  ({ name, own, file: own ? 'd1' : 'starter', text: `text of ${name}` }) as DetectorEntry;
const alert = (detector: string, severity: Alert['severity'], start: string) =>
  ({ detector, severity, start, end: start, group: [] }) as unknown as Alert;
const run = (name: string, listed: Alert[], done = 1): DetectorRun =>
  ({
    name,
    file: 'starter',
    done,
    total: 2,
    listed,
    tally: { alerts: listed.length },
  }) as unknown as DetectorRun;

async function opened(stored: Note[] = []) {
  const client = new FakeClient();
  const deeds: UndoableChange[] = [];
  const lifetime = new Lifetime();
  const notes = new Notes(lifetime, client, '/c', new Markers(), {
    changed: () => detectors.notesChanged(),
  });
  const ran = vi.fn();
  const did = (deed: UndoableChange) => deeds.push(deed);
  const detectors: Detectors = new Detectors(lifetime, client, '/c', notes, did, ran);
  void notes.look();
  await client.callsTo('notes')[0]!.answer({
    mark: 'm',
    whole: true,
    notes: stored,
    removed: [],
    readOnly: null,
    keptAside: [],
  });
  /** Reads a text of the tried detector; without problems it is valid. */
  const write = async (text: string, problems: DetectorList['problems'] = []) => {
    detectors.test.text = text;
    detectors.test.refresh();
    await client.callsTo('readDetectors').at(-1)!.answer({ detectors: [], problems });
  };
  return { client, notes, detectors, lifetime, deeds, write, ran };
}

const made = (...notes: Note[]): NotesChanged => ({
  made: { mark: 'n', notes, removed: [] },
  conflicts: [],
});

it('runs when it is shown, and shows each detector when it is done', async () => {
  const { client, detectors, lifetime, ran } = await opened();
  expect(client.callsTo('detectors')).toHaveLength(0);
  detectors.watch();
  await client
    .callsTo('detectors')[0]!
    .answer({ detectors: [entry('a'), entry('b')], problems: [] });
  const [call] = client.callsTo('runDetectors');
  call!.options.progress!(run('a', [alert('a', 'low', '5')]));
  expect(detectors.progress).toEqual({ done: 1, total: 2 });
  expect(ran).toHaveBeenCalledTimes(1);
  const runs = [run('a', [alert('a', 'low', '5')]), run('b', [alert('b', 'critical', '7')], 2)];
  await call!.answer({ revision: 1, runs, elapsedMs: 1 } as DetectorRuns);
  expect(detectors.progress).toBeNull();
  expect(ran).toHaveBeenCalledTimes(2);

  detectors.runRules(['/rules']);
  await client.callsTo('runRules')[0]!.answer({
    bin: '10',
    fired: [{ ...run('a', [alert('a', 'low', '5'), alert('a', 'low', '9')]), noise: [] }],
  } as never);
  expect(ran).toHaveBeenCalledTimes(3);

  // Nothing has changed, so nothing runs again; then the case grows.
  detectors.watch();
  await client.callsTo('detectors')[1]!.answer({ detectors: [entry('a')], problems: [] });
  expect(client.callsTo('runDetectors')).toHaveLength(1);
  lifetime.grow();
  expect(detectors.isStale).toBe(true);
  lifetime.end();
});

it('runs again by itself when a case has stopped growing', async () => {
  const { client, detectors, lifetime } = await opened();
  const leave = detectors.watch();
  await client.callsTo('detectors')[0]!.answer({ detectors: [entry('a')], problems: [] });
  await client.callsTo('runDetectors')[0]!.answer({ revision: 1, runs: [], elapsedMs: 1 });
  vi.useFakeTimers();
  for (let grown = 0; grown < 3; grown += 1) {
    lifetime.grow();
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect(client.callsTo('runDetectors')).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1_500);
  expect(client.callsTo('runDetectors')).toHaveLength(2);
  leave();
  lifetime.grow();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(client.callsTo('runDetectors')).toHaveLength(2);
  vi.useRealTimers();
  lifetime.end();
});

it('stores a detector as a note, and not over a change of somebody else', async () => {
  const stored = note({ kind: 'detector', id: 'd1', text: 'text of a', revision: 4 });
  const { client, notes, detectors, lifetime, write } = await opened([stored]);
  detectors.select(entry('a', true));
  await write('another text');
  const saving = detectors.save();
  const [call] = client.callsTo('changeNotes');
  expect(call!.args.put).toMatchObject([
    { kind: 'detector', id: 'd1', text: 'another text', known: 4 },
  ]);
  await call!.answer(made({ ...stored, text: 'another text', revision: 5 }));
  expect(await saving).toBe(true);
  expect(detectors.test.isChanged).toBe(false);

  notes.all = new Map([['detector d1', { ...stored, text: 'theirs', revision: 6 }]]);
  await write('mine');
  expect(await detectors.save()).toBe(false);
  expect(detectors.conflict).toBe(true);
  expect(client.callsTo('changeNotes')).toHaveLength(1);
  // Who saves again has seen that, and replaces it; reverting shows their text.
  expect(detectors.test.subject?.text).toBe('theirs');
  void detectors.save();
  expect(client.callsTo('changeNotes')[1]!.args.put).toMatchObject([{ text: 'mine', known: 6 }]);
  lifetime.end();
});

it('stores nothing that was not read, or that has a mistake', async () => {
  const { client, detectors, lifetime, write } = await opened();
  detectors.begin({ name: 'mine', text: 'mine', suggest: null });
  expect(await detectors.save()).toBe(false);
  await write('mine', [{ file: '', line: 1, message: 'wrong', hint: null }]);
  expect(await detectors.save()).toBe(false);
  expect(client.callsTo('changeNotes')).toHaveLength(0);
  await write('better');
  void detectors.save();
  expect(client.callsTo('changeNotes')).toHaveLength(1);
  lifetime.end();
});

it('keeps what is not saved while other detectors are tried', async () => {
  const stored = note({ kind: 'detector', id: 'd1', text: 'text of a', revision: 4 });
  const { client, detectors, lifetime, write } = await opened([stored]);
  const [own, builtIn] = [entry('a', true), entry('b')];
  detectors.begin({ name: 'new', text: 'new', suggest: null });
  await write('first');
  detectors.begin({ name: 'new-2', text: 'new 2', suggest: null });
  expect(detectors.unsaved.map(({ subject }) => subject.name)).toEqual(['new', 'new-2']);
  expect(detectors.names).toEqual(['new', 'new-2']);
  detectors.select(own);
  detectors.test.text = 'changed';
  detectors.select(builtIn);
  expect([detectors.test.text, detectors.isUnsaved(own)]).toEqual(['text of b', true]);
  detectors.select(own);
  expect([detectors.test.text, detectors.test.isChanged]).toEqual(['changed', true]);
  expect(detectors.isUnsaved(builtIn)).toBe(false);
  detectors.resume(detectors.unsaved[0]!);
  expect(detectors.test.text).toBe('first');
  detectors.close();
  expect(detectors.test.subject).toBeNull();
  detectors.resume(detectors.unsaved[0]!);
  // Once it is saved it is no draft.
  await write('first');
  const saving = detectors.save();
  const [put] = client.callsTo('changeNotes')[0]!.args.put!;
  await client.callsTo('changeNotes')[0]!.answer(made(note(put as Partial<Note>)));
  expect(await saving).toBe(true);
  expect(detectors.unsaved.map(({ subject }) => subject.name)).toEqual(['new-2']);
  lifetime.end();
});

it('brings back what was discarded', async () => {
  const { detectors, lifetime, deeds, write } = await opened();
  detectors.begin({ name: 'new', text: 'new', suggest: null });
  await write('mine');
  detectors.discard();
  expect([detectors.test.subject, detectors.unsaved]).toEqual([null, []]);
  deeds[0]!.undo();
  expect([detectors.test.text, detectors.unsaved.length]).toEqual(['mine', 1]);
  deeds[0]!.redo();
  expect([detectors.test.subject, detectors.unsaved]).toEqual([null, []]);
  detectors.select(entry('b'));
  await write('changed');
  detectors.discard();
  expect([detectors.test.text, detectors.isUnsaved(entry('b'))]).toEqual(['text of b', false]);
  // Undo goes back to it from another one.
  detectors.select(entry('c'));
  deeds[1]!.undo();
  expect([detectors.test.subject?.name, detectors.test.text]).toEqual(['b', 'changed']);
  lifetime.end();
});

it('makes a new one of what was changed here and removed elsewhere', async () => {
  const stored = note({ kind: 'detector', id: 'd1', text: 'text of a', revision: 4 });
  const { notes, detectors, lifetime } = await opened([stored]);
  detectors.select(entry('a', true));
  detectors.test.text = 'changed';
  detectors.select(entry('b'));
  notes.all = new Map();
  detectors.notesChanged();
  expect(detectors.unsaved.map(({ text }) => text)).toEqual(['changed']);
  lifetime.end();
});

it('shows the text that an undo has restored', async () => {
  const stored = note({ kind: 'detector', id: 'd1', text: 'text of a', revision: 4 });
  const { client, notes, detectors, lifetime } = await opened([stored]);
  detectors.select(entry('a', true));
  const change = (text: string, revision: number) =>
    void notes.change([{ kind: 'detector', id: 'd1', text, known: revision - 1 }]);
  change('before', 5);
  await client.callsTo('changeNotes')[0]!.answer(made({ ...stored, text: 'before', revision: 5 }));
  expect(detectors.test.text).toBe('before');
  // What is being written is not replaced.
  detectors.test.text = 'mine';
  change('again', 6);
  await client.callsTo('changeNotes')[1]!.answer(made({ ...stored, text: 'again', revision: 6 }));
  expect(detectors.test.text).toBe('mine');
  lifetime.end();
});

it('stores one that comes with the program as a new note', async () => {
  const { client, detectors, lifetime, write } = await opened();
  detectors.select(entry('a'));
  await write('text of a');
  expect(detectors.test.isChanged).toBe(false);
  void detectors.save();
  const [put] = client.callsTo('changeNotes')[0]!.args.put!;
  expect(put).toMatchObject({ kind: 'detector', text: 'text of a', known: 0 });
  expect(put!.id).not.toBe('starter');
  lifetime.end();
});

it('compares with tagged ranges and tagged events', async () => {
  const tags = [
    note({ kind: 'tag', id: '1', text: 'bad', from: '10' as Note['from'], to: '20' as Note['to'] }),
    note({ kind: 'tag', id: '2', text: 'bad', event: { source: 0, offset: 7 } }),
    note({ kind: 'tag', id: '3', text: 'good', from: '1' as Note['from'], to: '2' as Note['to'] }),
  ];
  const { client, notes, detectors, lifetime } = await opened(tags);
  detectors.compareWith({ kind: 'tag', tag: 'bad' });
  const [call] = client.callsTo('events');
  expect(call!.args.ids).toEqual([{ source: 0, offset: 7 }]);
  await call!.answer({ events: [{ row: { time: '30' } }] } as never);
  expect(detectors.test.truth).toEqual([
    { from: '10', to: '20' },
    { from: '30', to: '30' },
  ]);
  // A tag that is set later counts too; another tag changes nothing.
  void notes.tag([{ source: 1, offset: 1 }], 'good');
  await client
    .callsTo('changeNotes')[0]!
    .answer(made(note({ kind: 'tag', id: '4', text: 'good', event: { source: 1, offset: 1 } })));
  expect(client.callsTo('events')).toHaveLength(1);
  void notes.tag([{ source: 1, offset: 2 }], 'bad');
  await client
    .callsTo('changeNotes')[1]!
    .answer(made(note({ kind: 'tag', id: '5', text: 'bad', event: { source: 1, offset: 2 } })));
  expect(client.callsTo('events')[1]!.args.ids).toHaveLength(2);
  detectors.compareWith(null);
  expect(detectors.test.truth).toEqual([]);
  lifetime.end();
});
