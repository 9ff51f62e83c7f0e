/** Clicks on values become visible text of the query, never hidden filters. */

/** `field="value"`, exactly this value, with what needs quoting quoted. */
export function clause(field: string, value: string): string {
  return `${fieldName(field)}=${quote(value)}`;
}

/** A field's name as a query takes it. */
export function fieldName(field: string): string {
  return /^[\p{L}_@][\p{L}\p{N}_.@-]*$/u.test(field) ? field : quote(field);
}

function quote(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}

/** Adds a clause to a query. Asking for the opposite of a clause that is there turns it round. */
export function withClause(query: string, field: string, value: string, excluded: boolean): string {
  const positive = clause(field, value);
  const negative = `NOT ${positive}`;
  const added = excluded ? negative : positive;
  const before = query.trim();
  if (before === '') return added;
  const [present, rest] = takeClause(before, positive);
  if (present === added) return before;
  if (present !== null) return rest === '' ? added : `${rest} ${added}`;
  return `${needsBrackets(before) ? `(${before})` : before} ${added}`;
}

/** Finds the clause at the end or before another word, alone or after NOT, and cuts it out. */
function takeClause(query: string, positive: string): [present: string | null, rest: string] {
  for (const candidate of [`NOT ${positive}`, positive]) {
    const at = ` ${query} `.indexOf(` ${candidate} `);
    if (at < 0) continue;
    const rest = `${query.slice(0, at)} ${query.slice(at + candidate.length)}`;
    return [candidate, rest.replace(/\s+/g, ' ').trim()];
  }
  return [null, query];
}

/** `a OR b` next to a clause would bind the clause to `b` alone. */
function needsBrackets(query: string): boolean {
  const outside = query.replace(/"(?:[^"\\]|\\.)*"/g, '""');
  let depth = 0;
  for (const [token] of outside.matchAll(/[()]|[^\s()]+/g)) {
    if (token === '(') depth += 1;
    else if (token === ')') depth -= 1;
    else if (depth === 0 && token.toUpperCase() === 'OR') return true;
  }
  return false;
}
