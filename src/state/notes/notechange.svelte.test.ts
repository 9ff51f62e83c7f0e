import { beforeEach, expect, test } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import type { Note, NoteDraft, NoteRemoval } from '../../ipc/generated';
import { FakeClient, settled } from '../fakeclient';
import { Markers } from './markers.svelte';
import { Notes } from './notes.svelte';
import { ViewHistory } from '../view/history.svelte';

const EVENT = { source: 1, offset: 20 };

/** Stores notes like the engine: a change is atomic, and fails on a stale revision. */
class Store extends FakeClient {
  readonly kept = new Map<string, Note>();
  #revision = 0;

  override call(name: never, args: never): Promise<never> {
    return Promise.resolve(name === 'changeNotes' ? this.#change(args) : this.#all()) as never;
  }

  get texts(): string[] {
    return [...this.kept.values()].map(({ kind, text }) => `${kind} ${text}`.trim());
  }

  #all() {
    const notes = [...this.kept.values()];
    return { mark: '', whole: true, notes, removed: [], readOnly: null, keptAside: [] };
  }

  #change({ put = [], remove = [] }: { put?: NoteDraft[]; remove?: NoteRemoval[] }) {
    const keyOf = ({ kind, id }: { kind: string; id: string }) => `${kind} ${id}`;
    const conflicts = [...put, ...remove]
      .filter(({ known }) => known !== undefined)
      .filter((each) => (this.kept.get(keyOf(each))?.revision ?? 0) !== each.known)
      .map(({ kind, id }) => ({ kind, id, current: this.kept.get(`${kind} ${id}`) ?? null }));
    if (conflicts.length > 0) return { made: null, conflicts };
    this.#revision += 1;
    const notes = put.map((draft) => ({ text: '', ...draft, revision: this.#revision }) as Note);
    for (const note of notes) this.kept.set(keyOf(note), note);
    for (const each of remove) this.kept.delete(keyOf(each));
    return { made: { mark: '', notes, removed: remove }, conflicts: [] };
  }
}

let store: Store;
let notes: Notes;
let history: ViewHistory;

beforeEach(() => {
  store = new Store();
  history = new ViewHistory();
  notes = new Notes(new Lifetime(), store, 'c', new Markers(), {
    did: (deed) => history.did(deed),
  });
});

async function undo(): Promise<void> {
  history.undo();
  await settled();
}

async function redo(): Promise<void> {
  history.redo();
  await settled();
}

test('notes and view changes are undone in the order they were made', async () => {
  history.change({ query: 'a' });
  await notes.toggleStar([EVENT]);
  await notes.tag([EVENT], 'cause');
  history.change({ query: 'b' });
  await notes.remove(notes.about(EVENT).tags[0]!);
  expect(store.texts).toEqual(['star']);

  await undo();
  expect([history.current.query, store.texts]).toEqual(['b', ['star', 'tag cause']]);
  await undo();
  expect([history.current.query, store.texts]).toEqual(['a', ['star', 'tag cause']]);
  await undo();
  expect(store.texts).toEqual(['star']);
  await undo();
  expect(store.texts).toEqual([]);
  await undo();
  expect([history.current.query, history.canUndo]).toEqual(['', false]);

  for (let step = 0; step < 5; step += 1) await redo();
  expect([history.current.query, store.texts]).toEqual(['b', ['star']]);
  expect(history.canRedo).toBe(false);
});

test('a comment that was removed, edited or added is restored, however fast undo is pressed', async () => {
  await notes.comment([EVENT], 'first');
  await notes.editComment(notes.about(EVENT).comments[0]!, 'second');
  await notes.remove(notes.about(EVENT).comments[0]!);
  history.undo();
  history.undo();
  await settled();
  expect(notes.about(EVENT).comments.map(({ text }) => text)).toEqual(['first']);
  history.undo();
  history.redo();
  history.redo();
  await settled();
  expect(store.texts).toEqual(['comment second']);
  expect(notes.notReturned).toBeNull();
});

test('a concurrent change of somebody else is kept, and that is reported', async () => {
  await notes.comment([EVENT], 'mine');
  const lifetime = new Lifetime();
  const other = new Notes(lifetime, store, 'c', new Markers());
  await other.look();
  await other.editComment(other.about(EVENT).comments[0]!, 'theirs');
  await undo();
  expect(store.texts).toEqual(['comment theirs']);
  expect(notes.notReturned).toBe('changed');
  await redo();
  expect(store.texts).toEqual(['comment theirs']);
  await notes.toggleStar([EVENT]);
  expect(notes.notReturned).toBeNull();
  lifetime.end();
});

test('text written on a restored page is not lost with it', async () => {
  await notes.tryChange([{ kind: 'page', id: 'p', text: 'old', known: 0 }]);
  expect(history.canUndo).toBe(false);
  await notes.change([], [{ kind: 'page', id: 'p' }]);
  await undo();
  const { revision } = store.kept.get('page p')!;
  await notes.tryChange([{ kind: 'page', id: 'p', text: 'new', known: revision }]);
  await redo();
  expect(store.texts).toEqual([]);
  await undo();
  expect(store.texts).toEqual(['page new']);
});

test('a change without effect is no step, and typing after a note is another step', async () => {
  await notes.comment([EVENT], 'same');
  await notes.editComment(notes.about(EVENT).comments[0]!, 'same');
  await undo();
  expect([store.texts, history.canUndo]).toEqual([[], false]);

  history.change({ query: 'x' }, 'typed');
  await notes.toggleStar([EVENT]);
  history.change({ query: 'xy' }, 'typed');
  await undo();
  expect([history.current.query, store.texts]).toEqual(['x', ['star']]);
});
