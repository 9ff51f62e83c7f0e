/** Which patterns are listed, and in which order: their search and their sort. */
import type { Pattern } from '../../ipc/generated';

export const PATTERN_SORTS = ['usual', 'fewest', 'first', 'last', 'text'] as const;
export type PatternSort = (typeof PATTERN_SORTS)[number];

/** The label of a pattern: its name, or its text if it has none. */
export type ShownPattern = (id: string, text: string) => string;

/** Without names. */
export const byText: ShownPattern = (_, text) => text;

/** A pattern, its name, and the name of the source of its first event; empty if that is unknown. */
export interface ListedPattern {
  readonly pattern: Pattern;
  /** Null if people gave it none. */
  readonly name: string | null;
  readonly source: string;
}

/** The patterns whose name, text or source has all words of a search, in any order and case. */
export function foundPatterns<Listed extends ListedPattern>(
  all: readonly Listed[],
  search: string,
): readonly Listed[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return all;
  return all.filter(({ pattern, name, source }) => {
    const text = `${name ?? ''} ${pattern.text} ${source}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** `usual` leaves the order as it is: the most frequent first, or the greatest difference. */
export function sortedPatterns<Listed extends ListedPattern>(
  all: readonly Listed[],
  sort: PatternSort,
): readonly Listed[] {
  if (sort === 'usual') return all;
  const time = (nanos: string | null, missing: bigint) =>
    nanos === null ? missing : BigInt(nanos);
  if (sort === 'text')
    return all.toSorted((one, other) =>
      order(one.name ?? one.pattern.text, other.name ?? other.pattern.text),
    );
  const compare: Record<typeof sort, (one: Pattern, other: Pattern) => number> = {
    fewest: (one, other) => one.count - other.count,
    first: (one, other) => order(time(one.first, LATEST), time(other.first, LATEST)),
    last: (one, other) => order(time(other.last, -LATEST), time(one.last, -LATEST)),
  };
  return all.toSorted((one, other) => compare[sort](one.pattern, other.pattern));
}

/** Patterns whose events have no time are last, however they are sorted by time. */
const LATEST = 2n ** 63n;

function order<Value extends bigint | string>(one: Value, other: Value): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
