/** Times that people marked, as what a detector should have found. */
import type { Note, TimeSpan } from '../../ipc/generated';

/** A tag, or all marked times. */
export type TruthChoice =
  { readonly kind: 'tag'; readonly tag: string } | { readonly kind: 'marker' };

export const truthKey = (choice: TruthChoice) =>
  choice.kind === 'tag' ? `tag ${choice.tag}` : 'marker';

/** The choices for which there are notes. */
export function truthChoices(notes: readonly Note[]): TruthChoice[] {
  const tags = new Set(notes.filter(({ kind }) => kind === 'tag').map(({ text }) => text));
  const named = [...tags].sort((a, b) => a.localeCompare(b));
  const choices: TruthChoice[] = named.map((tag) => ({ kind: 'tag', tag }));
  return notes.some(({ kind }) => kind === 'marker') ? [...choices, { kind: 'marker' }] : choices;
}

/** The notes of a choice. */
export function truthNotes(notes: readonly Note[], choice: TruthChoice): Note[] {
  return notes.filter(
    ({ kind, text }) => kind === choice.kind && (choice.kind === 'marker' || text === choice.tag),
  );
}

/** Their times; those of events are looked up by the caller. */
export function spansOf(notes: readonly Note[]): TimeSpan[] {
  return notes.flatMap(({ from, to }) => (from === null || to === null ? [] : [{ from, to }]));
}
