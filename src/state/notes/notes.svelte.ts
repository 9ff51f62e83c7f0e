import { randomId } from '../../base/ids';
import type { Lifetime } from '../../base/lifetime';
import { timeFromNanos } from '../../base/time';
import { Timer } from '../../base/timer';
import { engineError, type Client, type EngineError } from '../../ipc/client';
import type {
  Nanos,
  Note,
  NoteConflict,
  NoteDraft,
  NoteRemoval,
  Notes as WireNotes,
} from '../../ipc/generated';
import type { Marker, Markers } from './markers.svelte';
import type { UndoableChange } from '../view/history.svelte';
import { changeTo, draftOf, noteKey, notesNow, saySame, type NoteThen } from './notechange';
import { isSpan, placed, targetKey, targetOf, type NoteTarget } from './notetarget';

/** The poll interval for changes of other windows, while the screen is visible. */
const LOOK_MS = 2_000;

/** Kinds that are about an event or a time range. */
const ABOUT_SOMETHING: ReadonlySet<string> = new Set(['star', 'tag', 'comment']);

/** The notes on one event, or one time range. */
export interface TargetNotes {
  readonly target: NoteTarget;
  readonly star: Note | null;
  readonly tags: readonly Note[];
  readonly comments: readonly Note[];
}

/** An open prompt. */
export type OpenPrompt =
  | { readonly kind: 'tag'; readonly targets: readonly NoteTarget[] }
  | {
      readonly kind: 'comment';
      readonly targets: readonly NoteTarget[];
      /** The comment to edit, or null for a new one. */
      readonly comment: Note | null;
    }
  | {
      readonly kind: 'marker';
      readonly from: Nanos;
      readonly to: Nanos;
      readonly marker: Note | null;
    };

/** Notifications about notes. */
export interface NotesListener {
  /** A change was made that can be undone. */
  readonly did?: (deed: UndoableChange) => void;
  /** Something was written, here or in another window. */
  readonly changed?: () => void;
}

/** All notes of the case, polled for changes of other windows. */
export class Notes {
  all = $state.raw<ReadonlyMap<string, Note>>(new Map());
  /** False until the first answer. */
  known = $state(false);
  /** Why nothing can be written, if so. */
  readOnly = $state<string | null>(null);
  keptAside = $state.raw<readonly string[]>([]);
  failure = $state.raw<EngineError | null>(null);
  asking = $state.raw<OpenPrompt | null>(null);
  /** The last removal of this window, which can be undone. */
  removed = $state.raw<readonly Note[]>([]);
  /** Why the last undo or redo failed. */
  notReturned = $state.raw<'changed' | EngineError | null>(null);

  readonly #client: Client;
  readonly #casePath: string;
  readonly #markers: Markers;
  readonly #listener: NotesListener;
  /** The latest revisions written by this window; 0 if it removed the note. */
  readonly #own = new Map<string, number>();
  #turn: Promise<void> = Promise.resolve();
  #mark: string | null = null;
  readonly #lifetime: Lifetime;
  readonly #looking: Timer;

  readonly #said = $derived.by(() => {
    type MutableNotes = { target: NoteTarget; star: Note | null; tags: Note[]; comments: Note[] };
    const found = new Map<string, MutableNotes>();
    for (const note of this.all.values()) {
      const target = ABOUT_SOMETHING.has(note.kind) ? targetOf(note) : null;
      if (target === null) continue;
      const key = targetKey(target);
      const entry = found.get(key) ?? { target, star: null, tags: [], comments: [] };
      found.set(key, entry);
      if (note.kind === 'star') entry.star = note;
      else if (note.kind === 'tag') entry.tags.push(note);
      else entry.comments.push(note);
    }
    return found as ReadonlyMap<string, TargetNotes>;
  });

  constructor(
    lifetime: Lifetime,
    client: Client,
    casePath: string,
    markers: Markers,
    listener: NotesListener = {},
  ) {
    this.#lifetime = lifetime;
    this.#looking = new Timer(lifetime);
    this.#listener = listener;
    this.#client = client;
    this.#casePath = casePath;
    this.#markers = markers;
    markers.opened = ({ id }) => {
      const said = this.#said.get(id);
      if (said !== undefined) {
        this.asking = {
          kind: 'comment',
          targets: [said.target],
          comment: said.comments[0] ?? null,
        };
        return;
      }
      const marker = this.all.get(noteKey('marker', id));
      if (marker?.from && marker.to)
        this.asking = { kind: 'marker', from: marker.from, to: marker.to, marker };
    };
    markers.wished = (time) => this.askMarker(time.toString() as Nanos, time.toString() as Nanos);
  }

  /** Starts polling. */
  start(): void {
    void this.look();
  }

  about(target: NoteTarget): TargetNotes {
    return this.#said.get(targetKey(target)) ?? { target, star: null, tags: [], comments: [] };
  }

  /** All notes on events and time ranges, by target. */
  get byTarget(): ReadonlyMap<string, TargetNotes> {
    return this.#said;
  }

  /** The current note, or its last state if somebody removed it. */
  latest(note: Note): Note {
    return this.all.get(noteKey(note.kind, note.id)) ?? note;
  }

  ofKind(kind: string): Note[] {
    return [...this.all.values()].filter((note) => note.kind === kind);
  }

  get tagNames(): string[] {
    return [...new Set(this.ofKind('tag').map(({ text }) => text))].sort((a, b) =>
      a.localeCompare(b),
    );
  }

  /** Loads the changes since the last answer, and schedules the next poll. */
  async look(): Promise<void> {
    this.#looking.stop();
    const hidden = typeof document !== 'undefined' && document.hidden;
    if (!hidden || !this.known) await this.#ask();
    // Two overlapping calls share one timer.
    if (!this.#looking.isRunning) this.#looking.start(() => void this.look(), LOOK_MS);
  }

  /** Stars the targets; if all of them are starred, removes the stars. */
  toggleStar(targets: readonly NoteTarget[]): Promise<boolean> {
    const stars = targets.flatMap((target) => this.about(target).star ?? []);
    if (stars.length === targets.length) return this.remove(...stars);
    const wanted = targets.filter((target) => this.about(target).star === null);
    return this.change(
      wanted.map((target) => ({ kind: 'star', id: targetKey(target), ...placed(target) })),
    );
  }

  tag(targets: readonly NoteTarget[], tag: string): Promise<boolean> {
    const text = tag.trim();
    return this.change(
      targets.map((target) => ({
        kind: 'tag',
        id: `${targetKey(target)} ${text}`,
        ...placed(target),
        text,
      })),
    );
  }

  comment(targets: readonly NoteTarget[], text: string): Promise<boolean> {
    return this.change(
      targets.map((target) => ({
        kind: 'comment',
        id: randomId(),
        ...placed(target),
        text: text.trim(),
      })),
    );
  }

  /** Edits a comment. False if somebody else changed it since it was read. */
  editComment(comment: Note, text: string): Promise<boolean> {
    return this.change([{ ...draftOf(comment), text: text.trim(), known: comment.revision }]);
  }

  askMarker(from: Nanos, to: Nanos): void {
    this.asking = { kind: 'marker', from, to, marker: null };
  }

  putMarker({ from, to, marker }: { from: Nanos; to: Nanos; marker: Note | null }, text: string) {
    const id = marker?.id ?? randomId();
    return this.change([{ kind: 'marker', id, from, to, text: text.trim() }]);
  }

  /** Removes notes; this can be undone until another note is written. */
  async remove(...notes: readonly Note[]): Promise<boolean> {
    const removed = await this.change(
      [],
      notes.map(({ kind, id }) => ({ kind, id })),
    );
    if (removed) this.removed = notes;
    return removed;
  }

  /** Restores the last removal, unless somebody else wrote the same meanwhile. */
  bringBack(): Promise<boolean> {
    return this.change(this.removed.map((note) => ({ ...draftOf(note), known: 0 })));
  }

  forgetRemoved(): void {
    this.removed = [];
  }

  /** Writes changes as a step that can be undone. True if they are stored. */
  async change(put: NoteDraft[], remove: NoteRemoval[] = []): Promise<boolean> {
    const names = [...put, ...remove];
    const before = notesNow(this.all, names);
    const kept = (await this.tryChange(put, remove))?.length === 0;
    if (kept && !saySame(before, notesNow(this.all, names)))
      this.#listener.did?.(this.#deed(before));
    return kept;
  }

  /**
   * Writes changes without undo, for callers with an undo of their own. Returns the conflicts with
   * concurrent changes; null if nothing could be written.
   */
  async tryChange(
    put: NoteDraft[],
    remove: NoteRemoval[] = [],
  ): Promise<readonly NoteConflict[] | null> {
    if (put.length === 0 && remove.length === 0) return [];
    try {
      const { made, conflicts } = await this.#client.call('changeNotes', {
        case: this.#casePath,
        put,
        remove,
      });
      if (made !== null) {
        for (const { kind, id, revision } of made.notes) this.#own.set(noteKey(kind, id), revision);
        for (const { kind, id } of made.removed) this.#own.set(noteKey(kind, id), 0);
        this.#apply(made.notes, made.removed, false);
      } else
        for (const { current } of conflicts)
          if (current !== null) this.#apply([current], [], false);
      this.failure = null;
      this.removed = [];
      this.notReturned = null;
      return conflicts;
    } catch (cause) {
      this.failure = engineError(cause);
      return null;
    }
  }

  /** The undoable form of a change, from the notes before it. */
  #deed(before: readonly NoteThen[]): UndoableChange {
    let other = before;
    let isDone = true;
    const turnTo = (done: boolean) => {
      // Undo can be pressed faster than it is written; each step needs the result of the previous
      // one.
      this.#turn = this.#turn.then(async () => {
        if (isDone === done) return;
        // Text written meanwhile, for example on a restored page, must not be lost.
        const now = notesNow(this.all, other);
        if (!(await this.#return(other))) return;
        other = now;
        isDone = done;
      });
    };
    return { undo: () => turnTo(false), redo: () => turnTo(true) };
  }

  /** Restores notes, unless somebody else changed one since this window did. */
  async #return(then: readonly NoteThen[]): Promise<boolean> {
    const isOwn = notesNow(this.all, then).every(
      ({ kind, id, note }) => this.#own.get(noteKey(kind, id)) === (note?.revision ?? 0),
    );
    const { put, remove } = changeTo(then, this.all);
    const conflicts = isOwn ? await this.tryChange(put, remove) : null;
    if (conflicts?.length === 0) return true;
    this.notReturned = (isOwn ? this.failure : null) ?? 'changed';
    return false;
  }

  async #ask(): Promise<void> {
    try {
      const found = await this.#client.call('notes', { case: this.#casePath, since: this.#mark });
      if (this.#lifetime.isOver) return;
      this.#received(found);
    } catch (cause) {
      if (!this.#lifetime.isOver) this.failure = engineError(cause);
    }
  }

  #received(found: WireNotes): void {
    this.#mark = found.mark;
    if (found.whole || found.notes.length > 0 || found.removed.length > 0)
      this.#apply(found.notes, found.removed, found.whole);
    this.readOnly = found.readOnly;
    this.keptAside = found.keptAside;
    if (!this.known) this.failure = null;
    this.known = true;
  }

  #apply(
    notes: readonly Note[],
    removed: readonly { kind: string; id: string }[],
    whole: boolean,
  ): void {
    const isFirst = !this.known && whole;
    const all = new Map(whole ? [] : this.all);
    for (const { kind, id } of removed) all.delete(noteKey(kind, id));
    for (const note of notes) {
      const key = noteKey(note.kind, note.id);
      // An answer that was overtaken by this window's own change restores nothing.
      if ((all.get(key)?.revision ?? 0) <= note.revision) all.set(key, note);
    }
    this.all = all;
    const marked = this.ofKind('marker').flatMap((note) => markerOf(note, note.id, note.text));
    const spans = [...this.#said].flatMap(([key, said]) => {
      const note = said.star ?? said.tags[0] ?? said.comments[0];
      return note === undefined || !isSpan(said.target) ? [] : markerOf(note, key, labelOf(said));
    });
    this.#markers.list = [...marked, ...spans];
    if (!isFirst) this.#listener.changed?.();
  }
}

function markerOf({ from, to }: Note, id: string, label: string): Marker[] {
  if (from === null || to === null) return [];
  return [{ id, from: timeFromNanos(from), to: to === from ? null : timeFromNanos(to), label }];
}

/** The notes in one line. */
function labelOf({ star, tags, comments }: TargetNotes): string {
  const words = [...tags, ...comments].map(({ text }) => text);
  return [...(star === null ? [] : ['★']), ...words].join(' · ');
}
