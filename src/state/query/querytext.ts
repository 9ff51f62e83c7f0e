import { visibleLine } from '../../base/visible';

/**
 * `field="value"`, exactly this value, quoted. The engine prints it shorter. A value with characters that nobody sees,
 * or with several lines, is written as an expression, because the query is one line that people read. So is the name of
 * a file with which others of `files` end, because `source=api.log` matches `app/api.log` too.
 */
export function clause(
  field: string,
  value: string,
  excluded = false,
  files: readonly string[] = [],
): string {
  const isPlain = isVisible(value) && !(field === 'source' && isEndOf(value, files));
  const test = isPlain ? `=${quoted(value)}` : `:/^${expressionOf(value)}$/`;
  return `${excluded ? 'NOT ' : ''}${fieldName(field)}${test}`;
}

/** The clause for the events whose value of a field begins with a text. */
export function beginning(field: string, text: string, excluded = false): string {
  return `${excluded ? 'NOT ' : ''}${fieldName(field)}:/^${expressionOf(text)}/`;
}

/** Whether a text is one line without characters that nobody sees. */
export const isVisible = (text: string) => visibleLine(text) === text;

/** Whether `source=name` matches other files as well: a name without a folder is the end of theirs. */
export const isEndOf = (name: string, files: readonly string[]) =>
  files.some((file) => endsLike(file, name));

export const endsLike = (file: string, name: string) =>
  !name.includes('/') && file.endsWith(`/${name}`);

/** A regular expression for a text. */
export function expressionOf(text: string): string {
  const letters = [...text].map((letter) => {
    if (letter === '\n') return '\\n';
    if (letter === '\t') return '\\t';
    // An expression with an odd number of quotation marks would have no end.
    if (letter === '"' || !isVisible(letter)) return `\\x{${letter.codePointAt(0)!.toString(16)}}`;
    return letter.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&');
  });
  return letters.join('');
}

const LITERAL = /^\^((?:[^\\.*+?()[\]{}|^$]|\\[^\p{L}\p{N}]|\\[nt]|\\x\{[\da-f]{1,6}\})*)(\$?)$/u;

/** The text that an expression asks for at the beginning, or as the whole; null if it asks for more than one text. */
export function literalOf(expression: string): { text: string; isWhole: boolean } | null {
  const [, literal, end] = LITERAL.exec(expression) ?? [];
  if (literal === undefined) return null;
  const text = literal.replace(/\\(?:x\{(\w+)\}|([nt])|(.))/gu, (_, code, letter, plain) =>
    code === undefined
      ? (plain ?? (letter === 'n' ? '\n' : '\t'))
      : String.fromCodePoint(Math.min(parseInt(code, 16), 0x10ffff)),
  );
  return { text, isWhole: end === '$' };
}

/** `field:*`: events that have it. */
export function existence(field: string): string {
  return `${fieldName(field)}:*`;
}

/** The name of a field, quoted if it would be parsed as something else. */
export function fieldName(field: string): string {
  return /^[\p{L}_@][\p{L}\p{N}_.@-]*$/u.test(field) ? field : quoted(field);
}

export function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}

/** Whether a text ends within a word, which may be incomplete: too early to run it. */
export function endsWithinWord(text: string): boolean {
  return /[\p{L}\p{N}_]$/u.test(text);
}

/** Whether a query may depend on notes, so that its answer changes with each note. */
export function asksForNotes(query: string): boolean {
  return /(?:^|[\s(!-])(?:note\.)?(?:is|tag)\s*(?::|!=|=)/i.test(query);
}

/** Combines a filter with stages and their pipes, or with SQL, which takes no filter. */
export function withStages(filter: string, stages: string): string {
  return stages.startsWith('|') ? `${filter} ${stages}`.trim() : stages;
}

/** A query that goes on with a clause, or with a stage. */
export function continued(query: string, text: string, isStage: boolean): string {
  const before = query.trim();
  if (isStage) return `${before === '' ? '*' : before} | ${text}`;
  return before === '' ? text : `${before} ${text}`;
}
