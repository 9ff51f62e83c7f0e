/** Unsaved texts of detectors, by their detector. They survive the selection of another one. */
import type { Subject } from './backtest.svelte';

export interface Draft {
  readonly subject: Subject;
  readonly text: string;
}

export type Drafts = ReadonlyMap<string, Draft>;

export function draftKey({
  id,
  name,
  isStored,
}: Pick<Subject, 'id' | 'name' | 'isStored'>): string {
  if (id !== null) return `own ${id}`;
  return isStored ? `built-in ${name}` : `new ${name}`;
}

/** The drafts with the text of a detector, or without one if it is the stored text. */
export function withText(drafts: Drafts, subject: Subject, text: string): Drafts {
  const next = new Map(drafts);
  if (subject.isStored && text === subject.text) next.delete(draftKey(subject));
  else next.set(draftKey(subject), { subject, text });
  return next;
}

export function withoutDraft(drafts: Drafts, subject: Subject): Drafts {
  const next = new Map(drafts);
  next.delete(draftKey(subject));
  return next;
}

/** Changed detectors that are not in the case any more are new ones. */
export function withoutStored(drafts: Drafts, isStored: (id: string) => boolean): Drafts {
  const changed = [...drafts.values()].map(({ subject, text }): Draft => {
    const isGone = subject.id !== null && !isStored(subject.id);
    return { subject: isGone ? { ...subject, id: null, isStored: false } : subject, text };
  });
  return new Map(changed.map((draft) => [draftKey(draft.subject), draft]));
}
