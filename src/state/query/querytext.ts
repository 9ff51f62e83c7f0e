import { visibleLine } from '../../base/visible';

/**
 * `field="value"`, exactly this value, quoted. The engine prints it shorter. A value with characters that nobody sees,
 * or with several lines, is written as an expression, because the query is one line that people read.
 */
export function clause(field: string, value: string, excluded = false): string {
  const test = isVisible(value) ? `=${quoted(value)}` : `:/^${expressionOf(value)}$/`;
  return `${excluded ? 'NOT ' : ''}${fieldName(field)}${test}`;
}

/** Whether a text is one line without characters that nobody sees. */
export const isVisible = (text: string) => visibleLine(text) === text;

/** A regular expression for a text. */
function expressionOf(text: string): string {
  const letters = [...text].map((letter) => {
    if (letter === '\n') return '\\n';
    if (letter === '\t') return '\\t';
    // An expression with an odd number of quotation marks would have no end.
    if (letter === '"' || !isVisible(letter)) return `\\x{${letter.codePointAt(0)!.toString(16)}}`;
    return letter.replace(/[\\^$.*+?()[\]{}|/#&~-]/, '\\$&');
  });
  return letters.join('');
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
