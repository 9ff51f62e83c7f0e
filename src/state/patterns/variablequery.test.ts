import { expect, it } from 'vitest';

import type { PatternVariable } from '../../ipc/generated';
import { measuredBy, usesOf, variableName, variableQuery } from './variablequery';

const NO_FIELDS: ReadonlySet<string> = new Set();

function variable(kind: string, ...values: string[]): PatternVariable {
  const top = values.map((value) => ({ value, count: 1 }));
  return { kind, top, count: 9, distinct: 9, more: false, min: null, max: null };
}

const PATTERN = {
  id: 't0123456789abcdef',
  text: 'GET <path> by user=<*> took <duration> with code <num>',
  variables: [variable('path'), variable('*', 'anna', '7'), variable('duration'), variable('num')],
};
const query = (at: number, use: Parameters<typeof variableQuery>[3], filter = '') =>
  variableQuery(filter, PATTERN, at, use, NO_FIELDS);

it('knows numbers, durations and sizes by their kind, and else by all listed values', () => {
  expect(measuredBy(variable('duration'))).toBe('duration');
  expect(measuredBy(variable('ip', '7'))).toBeNull();
  expect(measuredBy(variable('*', '12ms', '1.5s', '2 min'))).toBe('duration');
  expect(measuredBy(variable('*', '12', '-1.5'))).toBe('number');
  expect(measuredBy(variable('*', '10kb', '2 MiB'))).toBe('size');
  for (const mixed of [['12ms', '3'], ['12ms', 'never'], []])
    expect(measuredBy(variable('*', ...mixed))).toBeNull();
});

it('offers percentiles of amounts, frequent values of others, and both of numbers', () => {
  expect(PATTERN.variables.map(usesOf)).toEqual([
    ['top', 'field'],
    ['top', 'field'],
    ['percentiles', 'field'],
    ['percentiles', 'top', 'field'],
  ]);
});

it('names a variable after the word before it, with the unit that charts show', () => {
  const names = PATTERN.variables.map((_, at) => variableName(PATTERN, at, NO_FIELDS));
  expect(names).toEqual(['get', 'user', 'took_ms', 'code']);
  const fields = new Set(['took_ms', 'code', 'code_2']);
  expect(variableName(PATTERN, 2, fields)).toBe('took_2_ms');
  expect(variableName(PATTERN, 3, fields)).toBe('code_3');
  const bare = { text: '<duration> in <*>, <time>', variables: ['duration', '*', 'time'] };
  const variables = bare.variables.map((kind) => variable(kind, 'x'));
  const all = variables.map((_, at) => variableName({ text: bare.text, variables }, at, NO_FIELDS));
  expect(all).toEqual(['duration_ms', 'value', 'time_value']);
});

it('asks for percentiles over time, frequent values or a column in the events of the pattern', () => {
  const stage = 'variable 3 of t0123456789abcdef as took_ms';
  const chart = 'timechart p50(took_ms), p95(took_ms), p99(took_ms)';
  expect(query(2, 'percentiles')).toBe(`template="t0123456789abcdef" | ${stage} | ${chart}`);
  expect(query(0, 'top')).toBe(
    'template="t0123456789abcdef" | variable 1 of t0123456789abcdef as get | top 20 get',
  );
  expect(query(2, 'field')).toBe(`template="t0123456789abcdef" | ${stage}`);
});

it('reads durations that the pattern has as texts', () => {
  const waited = { ...PATTERN, text: 'waited <*>', variables: [variable('*', '12ms', '1.5s')] };
  expect(variableQuery('', waited, 0, 'percentiles', NO_FIELDS)).toContain(
    '| variable 1 of t0123456789abcdef as waited_ms | eval waited_ms = to_number(waited_ms) | timechart',
  );
});

it('keeps the filter, and adds the pattern once', () => {
  const own = 'template="t0123456789abcdef"';
  for (const [filter, expected] of [
    ['*', own],
    ['template=t0123456789abcdef', 'template=t0123456789abcdef'],
    [own, own],
    ['level:error', `level:error ${own}`],
    ['level:error OR status:500', `(level:error OR status:500) ${own}`],
  ])
    expect(query(0, 'field', filter).split(' | ')[0]).toBe(expected);
});
