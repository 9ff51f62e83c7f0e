/** `field="value"`, exactly this value, quoted. The engine prints it shorter. */
export function clause(field: string, value: string, excluded = false): string {
  return `${excluded ? 'NOT ' : ''}${fieldName(field)}=${quoted(value)}`;
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

/** Whether a query may depend on annotations, so that its answer changes with each note. */
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
