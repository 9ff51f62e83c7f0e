import { randomId } from '../../base/ids';
import type { Lifetime } from '../../base/lifetime';
import { Timer } from '../../base/timer';
import type { EventId, Note } from '../../ipc/generated';
import type { CaseStorage } from '../workbench/casestorage';
import { cellBlock } from './cellblock';
import type { Notes } from './notes.svelte';
import { eventKey } from './notetarget';
import { blocksOf, pageOf, withCell } from './pageblocks';

/** A page is saved to the case after this pause in typing. */
const SAVE_MS = 700;

interface PageData {
  readonly title: string;
  readonly place: number;
}

/** The current content of a page. */
export interface PageDraft {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly place: number;
  /** The revision that it is based on; 0 for a page that the case does not have. */
  readonly known: number;
}

function dataOf(note: Note): PageData {
  const data = (note.data ?? {}) as Partial<Record<keyof PageData, unknown>>;
  return {
    title: typeof data.title === 'string' ? data.title : '',
    place: typeof data.place === 'number' ? data.place : 0,
  };
}

export function draftOf(note: Note): PageDraft {
  return { id: note.id, text: note.text, known: note.revision, ...dataOf(note) };
}

/** The pages of the notebook. Typed text is stored in this window at once, and in the case after a pause. */
export class Notebook {
  /** The open page. */
  chosen = $state<string | null>(null);
  /** Typed text that is not yet saved to the case, by page. */
  drafts = $state.raw<ReadonlyMap<string, PageDraft>>(new Map());
  saving = $state(false);
  /** The version that somebody else wrote meanwhile. */
  theirs = $state.raw<Note | null>(null);

  readonly #notes: Notes;
  readonly #storage: CaseStorage;
  readonly #pause: Timer;

  readonly #added: () => void;

  constructor(
    lifetime: Lifetime,
    notes: Notes,
    storage: CaseStorage,
    added: () => void = () => {},
  ) {
    this.#added = added;
    this.#pause = new Timer(lifetime);
    lifetime.onEnd(() => this.flush());
    this.#notes = notes;
    this.#storage = storage;
    // Drafts from a window that was closed.
    this.drafts = readDrafts(storage.read('pages'));
  }

  get pages(): PageDraft[] {
    const stored = this.#notes.ofKind('page').map(draftOf);
    const ids = new Set(stored.map(({ id }) => id));
    const fresh = [...this.drafts.values()].filter(({ id, known }) => known === 0 && !ids.has(id));
    return [...stored, ...fresh]
      .map((page) => this.drafts.get(page.id) ?? page)
      .sort((a, b) => a.place - b.place || a.id.localeCompare(b.id));
  }

  get page(): PageDraft | null {
    const { pages } = this;
    return pages.find(({ id }) => id === this.chosen) ?? pages[0] ?? null;
  }

  isDirty(id: string): boolean {
    return this.drafts.has(id);
  }

  create(title: string, text = ''): void {
    const place = Math.max(0, ...this.pages.map((page) => page.place)) + 1;
    const page = { id: randomId(), title, text, place, known: 0 };
    this.chosen = page.id;
    this.#write(page);
  }

  choose(id: string): void {
    this.flush();
    this.theirs = null;
    this.chosen = id;
  }

  edit(change: Partial<Pick<PageDraft, 'title' | 'text'>>): void {
    const { page } = this;
    if (page === null) return;
    const next = { ...page, ...change };
    if (next.title === page.title && next.text === page.text) return;
    this.#write(next);
  }

  /** Adds events to the open page, or to a new one. */
  cite(events: readonly EventId[], newTitle: string): void {
    this.append(cellBlock('event', events.map(eventKey).join('\n')), newTitle);
  }

  /** Adds a cell at the end of the open page, or to a new one. */
  append(block: string, newTitle: string): void {
    const { page } = this;
    if (page === null) this.create(newTitle, block);
    else this.edit({ text: pageOf(withCell(blocksOf(page.text), block, null).blocks) });
    this.#added();
  }

  async remove(id: string): Promise<void> {
    this.#forget(id);
    this.theirs = null;
    await this.#notes.change([], [{ kind: 'page', id }]);
    if (this.chosen === id) this.chosen = null;
  }

  /** Resolves a conflict: shows their version, or overwrites it with this one. */
  resolve(mine: boolean): void {
    const { page, theirs } = this;
    this.theirs = null;
    if (page === null) return;
    if (mine) {
      // Their page may be deleted, and then this is a new one.
      this.#write({ ...page, known: theirs?.revision ?? 0 });
      this.flush();
    } else this.#forget(page.id);
  }

  /** Saves typed text at once. */
  flush(): void {
    this.#pause.stop();
    void this.#save();
  }

  #write(page: PageDraft): void {
    this.#set(new Map(this.drafts).set(page.id, page));
    this.#pause.start(() => void this.#save(), SAVE_MS);
  }

  #forget(id: string): void {
    const drafts = new Map(this.drafts);
    drafts.delete(id);
    this.#set(drafts);
  }

  #set(drafts: ReadonlyMap<string, PageDraft>): void {
    this.drafts = drafts;
    this.#storage.write('pages', JSON.stringify([...drafts.values()]));
  }

  async #save(): Promise<void> {
    if (this.saving || this.theirs !== null) return;
    const waiting = [...this.drafts.values()];
    if (waiting.length === 0) return;
    this.saving = true;
    for (const page of waiting) {
      const { id, text, title, place, known } = page;
      const put = { kind: 'page', id, known, text, data: { title, place } };
      const conflicts = await this.#notes.tryChange([put]);
      // Nothing was saved: the draft stays, and the next key tries again.
      if (conflicts === null) continue;
      if (conflicts.length > 0) {
        this.chosen = id;
        this.theirs = conflicts[0]!.current;
        if (this.theirs === null) {
          // They removed the page; the typed text must not be lost.
          this.#set(new Map(this.drafts).set(id, { ...page, known: 0 }));
        }
        continue;
      }
      const now = this.drafts.get(id);
      if (now === page) this.#forget(id);
      else if (now !== undefined) {
        const revision = this.#notes.all.get(`page ${id}`)?.revision ?? known;
        this.#set(new Map(this.drafts).set(id, { ...now, known: revision }));
      }
    }
    this.saving = false;
    const typedMeanwhile = [...this.drafts.values()].some((page) => !waiting.includes(page));
    if (typedMeanwhile && this.#notes.failure === null) {
      this.#pause.start(() => void this.#save(), SAVE_MS);
    }
  }
}

function readDrafts(text: string | null): ReadonlyMap<string, PageDraft> {
  try {
    const read = JSON.parse(text ?? '[]') as Partial<PageDraft>[];
    const whole = read.filter(
      (page): page is PageDraft =>
        typeof page.id === 'string' &&
        typeof page.title === 'string' &&
        typeof page.text === 'string' &&
        typeof page.place === 'number' &&
        typeof page.known === 'number',
    );
    return new Map(whole.map((page) => [page.id, page]));
  } catch {
    return new Map();
  }
}
