/** `field="value"`, exactly this value, with what needs quoting quoted. The engine prints it shorter. */
export function clause(field: string, value: string, excluded = false): string {
  return `${excluded ? 'NOT ' : ''}${fieldName(field)}=${quote(value)}`;
}

/** A field's name as a query takes it. */
export function fieldName(field: string): string {
  return /^[\p{L}_@][\p{L}\p{N}_.@-]*$/u.test(field) ? field : quote(field);
}

function quote(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}

/** What is written ends within a word, which may go on: it is too early to look for it. */
export function endsWithinWord(text: string): boolean {
  return /[\p{L}\p{N}_]$/u.test(text);
}
