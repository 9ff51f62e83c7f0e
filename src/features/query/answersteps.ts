/** How a clause was answered, in words. */
import { formatBytes } from '../../base/format';
import { texts } from '../../base/texts';
import type { AnswerPath, AnswerStep } from '../../ipc/generated';

const words = texts.explore.explain;

function pathsOf({ paths }: AnswerStep): readonly (readonly [AnswerPath, number])[] {
  return Object.entries(paths) as [AnswerPath, number][];
}

/** `text index`, or where parts of the case were answered in several ways, how many in each. */
export function howFound(step: AnswerStep): string {
  const paths = pathsOf(step);
  if (paths.length === 1) return words.paths[paths[0]![0]];
  return paths.map(([path, parts]) => words.parts(words.paths[path], parts)).join(', ');
}

/** What the ways are, one in a line. */
export function howFoundHint(step: AnswerStep): string {
  return pathsOf(step)
    .map(([path]) => words.pathHints[path])
    .join('\n');
}

export function textRead({ texts: read, bytes }: AnswerStep): string {
  return read === 0 ? words.nothingRead : words.read(read, formatBytes(bytes));
}

/** The words that a wildcard, a regular expression or a fuzzy word means; empty if the clause has none. */
export function termsText({ terms, termsInAll }: AnswerStep): string {
  return terms.length === 0 ? '' : words.terms(terms.join(' '), termsInAll - terms.length);
}
