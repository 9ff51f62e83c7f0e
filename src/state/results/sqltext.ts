import type { SortStage } from './tabletext';

/** `ORDER BY … LIMIT …` at the end of a statement, outside parentheses and quotes. */
const LAST_ORDER = /\s+order\s+by\s+[^()']*?(?=(?:\s+limit\s+\d+)?(?:\s+offset\s+\d+)?\s*;?\s*$)/i;
const LAST_LIMIT = /(?:\s+limit\s+\d+)?(?:\s+offset\s+\d+)?\s*;?\s*$/i;
const OUR_ORDER = /^\s+order\s+by\s+(\w+|"(?:[^"]|"")+")(\s+desc\s+nulls\s+last)?$/i;

/** A column in SQL: quoted if it would be parsed as something else. */
export function columnName(name: string): string {
  return /^[a-z_]\w*$/.test(name) && !WORDS.has(name) ? name : `"${name.replace(/"/g, '""')}"`;
}

/** Column names that occur, and that SQL parses as something else. */
const WORDS = new Set([
  'first',
  'last',
  'level',
  'order',
  'group',
  'limit',
  'left',
  'right',
  'end',
]);

/** The order that a click on a column wrote, if it is at the end of the statement. */
export function orderAtEnd(sql: string): SortStage | null {
  const found = OUR_ORDER.exec(LAST_ORDER.exec(sql)?.[0] ?? '');
  if (found === null) return null;
  const name = found[1]!;
  const column = name.startsWith('"') ? name.slice(1, -1).replace(/""/g, '"') : name;
  return { column, descending: found[2] !== undefined };
}

/** The statement in the order of a column, replacing its own order; its limit stays after it. */
export function orderedBy(sql: string, column: string, descending: boolean): string {
  const order = ` ORDER BY ${columnName(column)}${descending ? ' DESC NULLS LAST' : ''}`;
  const plain = sql.replace(LAST_ORDER, '');
  return plain.replace(LAST_LIMIT, (limit) => `${order}${limit.replace(/\s*;?\s*$/, '')}`);
}
