import { randomId } from '../base/ids';
import { timeFromNanos } from '../base/time';
import { engineError, type Client, type EngineError } from '../ipc/client';
import type {
  EventId,
  Nanos,
  Note,
  NoteConflict,
  NoteDraft,
  NoteRemoval,
  Notes as WireNotes,
} from '../ipc/generated';
import type { Markers } from './markers.svelte';

/** What other windows wrote is looked for this often while the screen is seen. */
const LOOK_MS = 2_000;

export const eventKey = ({ source, offset }: EventId) => `${source}@${offset}`;
const noteKey = (kind: string, id: string) => `${kind} ${id}`;

/** What is said about one event. */
export interface EventNotes {
  readonly star: Note | null;
  readonly tags: readonly Note[];
  readonly comments: readonly Note[];
}

const NONE: EventNotes = { star: null, tags: [], comments: [] };

/** What a person is asked to write. */
export type Asking =
  | { readonly kind: 'tag' | 'comment'; readonly events: readonly EventId[] }
  | {
      readonly kind: 'marker';
      readonly from: Nanos;
      readonly to: Nanos;
      readonly marker: Note | null;
    };

/** Everything people wrote about the case. Other windows write too, and are listened to. */
export class Notes {
  all = $state.raw<ReadonlyMap<string, Note>>(new Map());
  /** False until the first answer. */
  known = $state(false);
  /** Why nothing can be written, if so. */
  readOnly = $state<string | null>(null);
  keptAside = $state.raw<readonly string[]>([]);
  failure = $state.raw<EngineError | null>(null);
  asking = $state.raw<Asking | null>(null);

  readonly #client: Client;
  readonly #casePath: string;
  readonly #markers: Markers;
  #mark: string | null = null;
  #looking: ReturnType<typeof setTimeout> | null = null;
  #disposed = false;

  readonly #byEvent = $derived.by(() => {
    const found = new Map<string, { star: Note | null; tags: Note[]; comments: Note[] }>();
    for (const note of this.all.values()) {
      if (note.event === null) continue;
      const key = eventKey(note.event);
      const of = found.get(key) ?? { star: null, tags: [], comments: [] };
      found.set(key, of);
      if (note.kind === 'star') of.star = note;
      else if (note.kind === 'tag') of.tags.push(note);
      else if (note.kind === 'comment') of.comments.push(note);
    }
    return found as ReadonlyMap<string, EventNotes>;
  });

  constructor(client: Client, casePath: string, markers: Markers) {
    this.#client = client;
    this.#casePath = casePath;
    this.#markers = markers;
    markers.opened = ({ id }) => {
      const marker = this.all.get(noteKey('marker', id));
      if (marker?.from && marker.to)
        this.asking = { kind: 'marker', from: marker.from, to: marker.to, marker };
    };
    markers.wished = (time) => this.askMarker(time.toString() as Nanos, time.toString() as Nanos);
  }

  /** Begins to listen to the store. */
  start(): void {
    void this.look();
  }

  dispose(): void {
    this.#disposed = true;
    if (this.#looking !== null) clearTimeout(this.#looking);
  }

  of(event: EventId): EventNotes {
    return this.#byEvent.get(eventKey(event)) ?? NONE;
  }

  /** All that is said about events, by event. */
  get byEvent(): ReadonlyMap<string, EventNotes> {
    return this.#byEvent;
  }

  ofKind(kind: string): Note[] {
    return [...this.all.values()].filter((note) => note.kind === kind);
  }

  get tagNames(): string[] {
    return [...new Set(this.ofKind('tag').map(({ text }) => text))].sort((a, b) =>
      a.localeCompare(b),
    );
  }

  /** Asks what changed since the last answer, and goes on asking. */
  async look(): Promise<void> {
    if (this.#looking !== null) clearTimeout(this.#looking);
    this.#looking = null;
    const hidden = typeof document !== 'undefined' && document.hidden;
    if (!hidden || !this.known) await this.#ask();
    if (!this.#disposed && this.#looking === null)
      this.#looking = setTimeout(() => void this.look(), LOOK_MS);
  }

  /** Stars the events; where all of them are starred, takes the stars away. */
  toggleStar(events: readonly EventId[]): Promise<boolean> {
    const starred = events.filter((event) => this.of(event).star !== null);
    if (starred.length === events.length)
      return this.change(
        [],
        events.map((event) => ({ kind: 'star', id: eventKey(event) })),
      );
    const wanted = events.filter((event) => this.of(event).star === null);
    return this.change(wanted.map((event) => ({ kind: 'star', id: eventKey(event), event })));
  }

  tag(events: readonly EventId[], tag: string): Promise<boolean> {
    const text = tag.trim();
    return this.change(
      events.map((event) => ({ kind: 'tag', id: `${eventKey(event)} ${text}`, event, text })),
    );
  }

  comment(events: readonly EventId[], text: string): Promise<boolean> {
    return this.change(
      events.map((event) => ({ kind: 'comment', id: randomId(), event, text: text.trim() })),
    );
  }

  askMarker(from: Nanos, to: Nanos): void {
    this.asking = { kind: 'marker', from, to, marker: null };
  }

  putMarker({ from, to, marker }: { from: Nanos; to: Nanos; marker: Note | null }, text: string) {
    const id = marker?.id ?? randomId();
    return this.change([{ kind: 'marker', id, from, to, text: text.trim() }]);
  }

  remove(note: Note): Promise<boolean> {
    return this.change([], [{ kind: note.kind, id: note.id }]);
  }

  /** Writes whatever the notes say is wanted. True when it is kept. */
  async change(put: NoteDraft[], remove: NoteRemoval[] = []): Promise<boolean> {
    return (await this.tryChange(put, remove))?.length === 0;
  }

  /** The same, telling what somebody else had changed meanwhile; null where nothing could be written. */
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
      if (made !== null) this.#apply(made.notes, made.removed, false);
      else
        for (const { current } of conflicts)
          if (current !== null) this.#apply([current], [], false);
      this.failure = null;
      return conflicts;
    } catch (cause) {
      this.failure = engineError(cause);
      return null;
    }
  }

  async #ask(): Promise<void> {
    try {
      const found = await this.#client.call('notes', { case: this.#casePath, since: this.#mark });
      if (this.#disposed) return;
      this.#received(found);
    } catch (cause) {
      if (!this.#disposed) this.failure = engineError(cause);
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
    const all = new Map(whole ? [] : this.all);
    for (const { kind, id } of removed) all.delete(noteKey(kind, id));
    for (const note of notes) {
      const key = noteKey(note.kind, note.id);
      // An answer that was overtaken by a change of this window's own brings nothing back.
      if ((all.get(key)?.revision ?? 0) <= note.revision) all.set(key, note);
    }
    this.all = all;
    this.#markers.list = this.ofKind('marker')
      .filter((note) => note.from !== null && note.to !== null)
      .map((note) => ({
        id: note.id,
        from: timeFromNanos(note.from!),
        to: note.to === note.from ? null : timeFromNanos(note.to!),
        label: note.text,
      }));
  }
}
