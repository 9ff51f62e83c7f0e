/** Queries about the values of one variable of a pattern. */
import type { Pattern, PatternVariable } from '../../ipc/generated';
import { clause, withStages } from '../query/querytext';

/** The question of a click: a chart of percentiles, the most frequent values, or the values as a column. */
export type VariableUse = 'percentiles' | 'top' | 'field';

/** The kind of measure of a variable; null for texts. */
export type Measured = 'number' | 'duration' | 'size';

/** Values of a chart of the most frequent ones. */
const TOP = 20;

const KINDS: Readonly<Record<string, Measured>> = {
  num: 'number',
  duration: 'duration',
  size: 'size',
};
/** How the values of a part without a kind look, in units that `to_number` reads. */
const LOOKS: readonly (readonly [Measured, RegExp])[] = [
  ['number', /^[-+]?\d+(\.\d+)?$/],
  ['duration', /^\d+(\.\d+)?\s*(ns|us|µs|μs|ms|s|sec|min|h)$/],
  ['size', /^\d+(\.\d+)?\s*([kmgt]i?b|b)$/i],
];
const SUFFIXES: Readonly<Record<Measured, string>> = {
  number: '',
  duration: '_ms',
  size: '_bytes',
};
const MARK = /<(?:\*|num|hex|ip|host|path|url|time|duration|size|id|text|rest)>/g;
/** Words before a value that do not name it, and words that mean something else in a query. */
const NO_NAMES = new Set(
  (
    'a an after and as asc at before by count desc false for from has in into is like limit not null of on or ' +
    'over than that the then to true until via was where with time level source line raw template'
  ).split(' '),
);

export function measuredBy({ kind, top }: Pick<PatternVariable, 'kind' | 'top'>): Measured | null {
  if (kind !== '*') return KINDS[kind] ?? null;
  if (top.length === 0) return null;
  const looks = LOOKS.find(([, look]) => top.every(({ value }) => look.test(value.trim())));
  return looks?.[0] ?? null;
}

/** The uses of a variable. Numbers may be codes, whose frequent values matter more than their size. */
export function usesOf(variable: Pick<PatternVariable, 'kind' | 'top'>): readonly VariableUse[] {
  const measured = measuredBy(variable);
  const isAmount = measured === 'duration' || measured === 'size';
  return [
    ...(measured === null ? [] : (['percentiles'] as const)),
    ...(isAmount ? [] : (['top'] as const)),
    'field',
  ];
}

/**
 * The name of the column of a variable: the word before it in the pattern, or its kind, with the unit that charts show.
 * It differs from those of the case's fields.
 */
export function variableName(
  { text, variables }: Pick<Pattern, 'text' | 'variables'>,
  at: number,
  fields: ReadonlySet<string>,
): string {
  const variable = variables[at]!;
  const marks = [...text.matchAll(MARK)];
  const last = marks[at - 1];
  const before = text.slice(last === undefined ? 0 : last.index + last[0].length, marks[at]?.index);
  const word = /([a-z_][a-z0-9_]*)[^a-z0-9_]*$/i.exec(before)?.[1]?.toLowerCase() ?? '';
  const kind = variable.kind === '*' ? 'value' : variable.kind;
  const measured = measuredBy(variable);
  const suffix = measured === null ? '' : SUFFIXES[measured];
  const plain = word === '' || NO_NAMES.has(word) ? kind : word;
  const name = plain === 'time' ? 'time_value' : plain.replace(new RegExp(`${suffix}$`), '');
  for (let number = 1; ; number += 1) {
    const found = `${name}${number === 1 ? '' : `_${number}`}${suffix}`;
    if (!fields.has(found)) return found;
  }
}

/** A query for a variable of a pattern in the events of a filter. */
export function variableQuery(
  filter: string,
  pattern: Pick<Pattern, 'id' | 'text' | 'variables'>,
  at: number,
  use: VariableUse,
  fields: ReadonlySet<string>,
): string {
  const name = variableName(pattern, at, fields);
  const variable = pattern.variables[at]!;
  const stages = [`variable ${at + 1} of ${pattern.id} as ${name}`];
  // Values of a kind are numbers as they come; others are texts that look like numbers.
  const isText = variable.kind === '*' && measuredBy(variable) !== null;
  if (isText && use !== 'top') stages.push(`eval ${name} = to_number(${name})`);
  if (use === 'percentiles') stages.push(`timechart p50(${name}), p95(${name}), p99(${name})`);
  if (use === 'top') stages.push(`top ${TOP} ${name}`);
  return withStages(ofPattern(filter.trim(), pattern.id), `| ${stages.join(' | ')}`);
}

/** A filter with the clause of a pattern, unless it has it. */
function ofPattern(filter: string, id: string): string {
  const own = clause('template', id);
  if (filter === '' || filter === '*') return own;
  if (new RegExp(`^template\\s*[:=]+\\s*"?${id}"?$`).test(filter)) return filter;
  return `${/\bor\b|\|\|/i.test(filter) ? `(${filter})` : filter} ${own}`;
}
