/** Earlier states of notes, so that a change of them can be undone. */
import type { Note, NoteDraft, NoteRemoval } from '../../ipc/generated';

export const noteKey = (kind: string, id: string) => `${kind} ${id}`;

/** A note at some time; null if there was none of that name. */
export interface NoteThen {
  readonly kind: string;
  readonly id: string;
  readonly note: Note | null;
}

export type NoteMap = ReadonlyMap<string, Note>;

export function notesNow(
  all: NoteMap,
  names: readonly Pick<NoteThen, 'kind' | 'id'>[],
): readonly NoteThen[] {
  return names.map(({ kind, id }) => ({ kind, id, note: all.get(noteKey(kind, id)) ?? null }));
}

export function draftOf({ kind, id, event, from, to, text, data }: Note): NoteDraft {
  return { kind, id, event, from, to, text, data };
}

/** Whether notes have the same content, whenever they were written. */
export function saySame(some: readonly NoteThen[], others: readonly NoteThen[]): boolean {
  const said = (notes: readonly NoteThen[]) =>
    JSON.stringify(notes.map(({ note }) => note && draftOf(note)));
  return said(some) === said(others);
}

/** The change that restores notes, if they are still as `all` has them. */
export function changeTo(
  then: readonly NoteThen[],
  all: NoteMap,
): { put: NoteDraft[]; remove: NoteRemoval[] } {
  const put: NoteDraft[] = [];
  const remove: NoteRemoval[] = [];
  for (const { kind, id, note } of then) {
    const known = all.get(noteKey(kind, id))?.revision ?? 0;
    if (note !== null) put.push({ ...draftOf(note), known });
    else if (known > 0) remove.push({ kind, id, known });
  }
  return { put, remove };
}
