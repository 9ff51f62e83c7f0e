/** The reference of the language: what of it matches a search. */
import type { ReferenceEntry, ReferenceTopic } from '../../ipc/generated';

/** Where the words of a search are: a name begins with it, a name contains it, or the rest of the entry. */
function rank(entry: ReferenceEntry, words: readonly string[]): number | null {
  const names = [...entry.written, ...entry.aliases].map((name) => name.toLowerCase());
  const text = [...names, entry.summary, entry.example ?? ''].join(' ').toLowerCase();
  if (!words.every((word) => text.includes(word))) return null;
  const first = words[0] ?? '';
  if (names.some((name) => name.startsWith(first))) return 0;
  return names.some((name) => name.includes(first)) ? 1 : 2;
}

/**
 * The entries that contain all words. Those whose name begins with the first word come first, and so do their topics;
 * empty topics are left out.
 */
export function found(
  topics: readonly ReferenceTopic[],
  search: string,
  only: string | null,
): readonly ReferenceTopic[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return topics
    .filter(({ name }) => only === null || name === only)
    .map(({ name, entries }) => ({
      name,
      entries: entries
        .map((entry) => ({ entry, place: rank(entry, words) }))
        .filter(({ place }) => place !== null)
        .sort((one, other) => one.place! - other.place!),
    }))
    .filter(({ entries }) => entries.length > 0)
    .sort((one, other) => one.entries[0]!.place! - other.entries[0]!.place!)
    .map(({ name, entries }) => ({ name, entries: entries.map(({ entry }) => entry) }));
}

export interface SummaryPart {
  readonly text: string;
  readonly isCode: boolean;
}

/** A summary in pieces: code is between backticks. */
export function summaryParts(summary: string): readonly SummaryPart[] {
  return summary
    .split('`')
    .map((text, at) => ({ text, isCode: at % 2 === 1 }))
    .filter(({ text }) => text !== '');
}
