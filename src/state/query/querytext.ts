/** `field="value"`, exactly this value, with what needs quoting quoted. The engine prints it shorter. */
export function clause(field: string, value: string, excluded = false): string {
  return `${excluded ? 'NOT ' : ''}${fieldName(field)}=${quoted(value)}`;
}

/** `field:*`: events that have it. */
export function existence(field: string): string {
  return `${fieldName(field)}:*`;
}

/** The name of a field, quoted where it would be read as something else. */
export function fieldName(field: string): string {
  return /^[\p{L}_@][\p{L}\p{N}_.@-]*$/u.test(field) ? field : quoted(field);
}

export function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}

/** What is written ends within a word, which may go on: it is too early to look for it. */
export function endsWithinWord(text: string): boolean {
  return /[\p{L}\p{N}_]$/u.test(text);
}

/** Whether a query seems to ask for what people noted, whose answer changes with each note. */
export function asksForNotes(query: string): boolean {
  return /(?:^|[\s(!-])(?:note\.)?(?:is|tag)\s*(?::|!=|=)/i.test(query);
}

/** Whether the engine has to tell what of a query is its filter: it has stages, or may be SQL. */
export function mayHaveStages(query: string): boolean {
  return query.includes('|') || /^[\s(]*(?:select|with)[\s(]/i.test(query);
}

/** A query of a filter and what is done behind it: stages with their pipes, or SQL, which takes no filter. */
export function withStages(filter: string, stages: string): string {
  return stages.startsWith('|') ? `${filter} ${stages}`.trim() : stages;
}
