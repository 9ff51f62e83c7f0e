import { beforeEach, expect, it } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import type { Note, NoteDraft, NoteRemoval } from '../../ipc/generated';
import { FakeClient, settled } from '../fakeclient';
import { Markers } from '../notes/markers.svelte';
import { Notes } from '../notes/notes.svelte';
import { ViewHistory } from '../view/history.svelte';
import { patternColumns, PatternNames } from './patternnames.svelte';

const PATTERN = { id: 't0123456789abcdef', text: 'job <num> took <duration>' };

/** The notes of a case, which several windows have open. */
class Store {
  readonly kept = new Map<string, Note>();
  #revision = 0;

  read() {
    const notes = [...this.kept.values()];
    return { mark: '', whole: true, notes, removed: [], readOnly: null, keptAside: [] };
  }

  change({ put = [], remove = [] }: { put?: NoteDraft[]; remove?: NoteRemoval[] }) {
    this.#revision += 1;
    const notes = put.map((draft) => ({ text: '', ...draft, revision: this.#revision }) as Note);
    for (const note of notes) this.kept.set(note.id, note);
    for (const { id } of remove) this.kept.delete(id);
    return { made: { mark: '', notes, removed: remove }, conflicts: [] };
  }
}

class StoreClient extends FakeClient {
  readonly #store: Store;

  constructor(store: Store) {
    super();
    this.#store = store;
  }

  override call(name: never, args: never): Promise<never> {
    const answer = name === 'changeNotes' ? this.#store.change(args) : this.#store.read();
    return Promise.resolve(answer) as never;
  }
}

let store: Store;
let history: ViewHistory;
let names: PatternNames;

function opened(): { names: PatternNames; notes: Notes; history: ViewHistory } {
  const history = new ViewHistory();
  const did = (deed: Parameters<ViewHistory['did']>[0]) => history.did(deed);
  const notes = new Notes(new Lifetime(), new StoreClient(store), 'c', new Markers(), { did });
  return { names: new PatternNames(notes), notes, history };
}

beforeEach(() => {
  store = new Store();
  ({ names, history } = opened());
});

it('shows the name for the id and for the text of a pattern', async () => {
  const { id, text } = PATTERN;
  expect(names.nameOfValue('template', id)).toBeNull();
  await names.rename(PATTERN, 'Job done');
  for (const field of ['template', 'id', 'what', null])
    expect(names.shownValue(field, id)).toBe('Job done');
  expect(names.shownValue('template', text)).toBe('Job done');
  // A message may have the words of a pattern that does not vary, and so may a field with another meaning.
  for (const field of ['message', 'pattern', 'what', null])
    expect(names.shownValue(field, text)).toBe(text);
  expect(names.shownValue('template', 't0000000000000000')).toBe('t0000000000000000');
  expect(names.inText(`count: ${id} p95`)).toBe('count: Job done p95');
  expect(names.shownEntity(`template=${text}`)).toBe('template=Job done');
  expect(names.shownEntity(`host=a, template=${id}`)).toBe('host=a, template=Job done');
  expect(names.shownEntity(`template=${id}, host=a`)).toBe('template=Job done, host=a');
  expect(names.shownEntity('host=a=b')).toBe('host=a=b');
  expect(names.shownEntity('alone')).toBe('alone');
});

const columnsOf = (...columns: string[]) =>
  columns.map((name) => ({ name, kind: 'text' as const }));

function shownRow(stages: string[], columns: string[], row: string[]): (string | null)[] {
  const ofPatterns = patternColumns(stages, columnsOf(...columns));
  return row.map((_, at) => names.nameOfCell(row, at, ofPatterns));
}

it('names a text in results of patterns by the id of its row', async () => {
  const [fine, coarse] = ['s0000000000000001', 'g0000000000000002'];
  await names.rename({ id: coarse, text: 'started' }, 'Coarse');
  await names.rename({ id: fine, text: 'started' }, 'Fine');
  const row = (id: string) => shownRow(['patterns', 'head 5'], ['id', 'pattern'], [id, 'started']);
  expect(row(coarse)).toEqual(['Coarse', 'Coarse']);
  expect(row(fine)).toEqual(['Fine', 'Fine']);
  expect(row('t0000000000000003')).toEqual([null, null]);
  // Without the id, the text is that of the default granularity.
  expect(shownRow(['patterns'], ['pattern'], ['started'])).toEqual([null]);
  expect(names.shownValue('template', 'started')).toBe('started');
  await names.rename({ id: 't0000000000000003', text: 'started' }, 'Boot');
  expect(shownRow(['patterns'], ['pattern'], ['started'])).toEqual(['Boot']);
  expect(names.shownValue('template', 'started')).toBe('Boot');
});

it('names no text of columns that only have such a name', async () => {
  await names.rename({ id: PATTERN.id, text: 'started' }, 'Boot');
  for (const column of ['pattern', 'what', 'template']) {
    expect(shownRow([`top ${column}`], [column], ['started'])).toEqual([null]);
    expect(shownRow([`top ${column}`], [column], [PATTERN.id])).toEqual(['Boot']);
  }
  const compared = (kind: string, filter: string) =>
    shownRow(['compare with (a)'], ['kind', 'what', 'filter'], [kind, 'started', filter])[1];
  expect(compared('pattern', `template=${PATTERN.id}`)).toBe('Boot');
  expect(compared('pattern', 'template=t0000000000000003')).toBeNull();
  expect(compared('value', 'host=started')).toBeNull();
});

it('takes notes with other ids for no patterns', async () => {
  await names.rename({ id: 'count', text: 'started' }, 'Odd');
  expect(names.nameOf('count')).toBeNull();
  expect(names.shownValue('template', 'count')).toBe('count');
});

it('shows the name of a pattern in place of its text, in every window', async () => {
  expect(names.shown(PATTERN.id, PATTERN.text)).toBe(PATTERN.text);
  await names.rename(PATTERN, '  Job \n done ');
  expect(names.shown(PATTERN.id, PATTERN.text)).toBe('Job done');
  expect(store.kept.get(PATTERN.id)).toMatchObject({
    kind: 'pattern',
    text: 'Job done',
    data: { pattern: PATTERN.text },
  });
  const other = opened();
  await other.notes.look();
  expect(other.names.nameOf(PATTERN.id)).toBe('Job done');
});

it('keeps the name of a hidden pattern, and forgets one without a name', async () => {
  await names.hide(PATTERN, true);
  await names.rename(PATTERN, 'Job');
  expect([names.isHidden(PATTERN.id), names.nameOf(PATTERN.id)]).toEqual([true, 'Job']);
  await names.hide(PATTERN, false);
  expect([names.isHidden(PATTERN.id), names.nameOf(PATTERN.id)]).toEqual([false, 'Job']);
  await names.rename(PATTERN, ' ');
  expect(names.nameOf(PATTERN.id)).toBeNull();
  expect(store.kept.size).toBe(0);
  await names.rename(PATTERN, '');
  expect(store.kept.size).toBe(0);
});

it('undoes and redoes a name and a hidden pattern', async () => {
  await names.rename(PATTERN, 'Job');
  await names.hide(PATTERN, true);
  history.undo();
  await settled();
  expect([names.isHidden(PATTERN.id), names.nameOf(PATTERN.id)]).toEqual([false, 'Job']);
  history.undo();
  await settled();
  expect(names.nameOf(PATTERN.id)).toBeNull();
  history.redo();
  await settled();
  expect(names.nameOf(PATTERN.id)).toBe('Job');
});
