import { describe, expect, it, test } from 'vitest';

import { actionsOf, filterOf, filterWithout, quickActions } from './valueactions';

const clauses = (...texts: string[]) =>
  texts.map((text) => ({ text, isNegated: text.startsWith('NOT ') }));
const all = ['only', 'without', 'oneOf', 'copy', 'follow', 'column', 'chart', 'compare'];
const without = (...names: string[]) => all.filter((name) => !names.includes(name));

describe('the actions that fit a value', () => {
  test.each([
    ['a value of a field', { field: 'trace', value: '9f2c' }, all],
    ['a number', { field: 'status', value: '502' }, all],
    ['a level', { field: 'level', value: 'error' }, without('follow')],
    ['a source', { field: 'source', value: 'a.log' }, without('follow')],
    ['a boolean', { field: 'ok', value: 'true' }, without('follow')],
    ['an empty value', { field: 'user', value: '' }, without('follow')],
    ['a missing value', { field: 'user', value: null }, without('oneOf', 'copy', 'follow')],
    ['a word of the text', { field: null, value: 'timeout' }, without('oneOf', 'column', 'chart')],
    ['a text of two lines', { field: 'body', value: 'a\nb' }, all],
    ['a time', { field: 'time', value: '2024-03-05 14:00:00' }, ['copy']],
    ['a calculated number', { field: 'p95', value: '12', isCalculated: true }, ['copy', 'follow']],
    ['a text of 100 kB', { field: 'body', value: 'x'.repeat(100_000) }, without('follow')],
    ['a text of 1 MB', { field: 'body', value: 'x'.repeat(1e6) }, ['copy', 'column', 'chart']],
  ])('%s', (_, seen, expected) => expect(actionsOf(seen)).toEqual(expected));

  it('leaves a statement of SQL as it is', () =>
    expect(actionsOf({ field: 'trace', value: '9f2c' }, true)).toEqual([
      'copy',
      'follow',
      'column',
      'chart',
    ]));
});

test.each([
  ['trace_id', '9f2c', true],
  ['requestId', '12', true],
  ['span.id', 'x', true],
  ['trace', 'trace-3', true],
  [null, '7f3a9c0e5b1d4e2f', true],
  ['note', '123e4567-e89b-12d3-a456-426614174000', true],
  ['status', '502', false],
  ['paid', '1', false],
  [null, 'timeout', false],
  ['trace_id', '', false],
])('an id is followed with one click: %s %s %s', (field, value, isFollowed) => {
  const quick = quickActions({ field, value });
  expect(quick).toEqual(['only', 'without', ...(isFollowed ? ['follow'] : [])]);
  expect(quickActions({ field, value }, true)).toEqual(isFollowed ? ['follow'] : []);
});

test.each([
  [{ field: 'status', value: '502' }, 'status="502"'],
  [{ field: 'my field', value: 'a "b" \\c' }, '"my field"="a \\"b\\" \\\\c"'],
  [{ field: 'user', value: '' }, 'user=""'],
  [{ field: 'user', value: null }, 'NOT user:*'],
  [{ field: null, value: 'say "hi"' }, '"say \\"hi\\""'],
  [{ field: 'body', value: 'a\nb' }, 'body:/^a\\nb$/'],
])('the filter for %j is %s, and its opposite excludes the same events', (seen, only) => {
  expect(filterOf(seen)).toBe(only);
  expect(filterOf(seen, true)).toBe(only.startsWith('NOT ') ? only.slice(4) : `NOT ${only}`);
});

it('compares a value with the rest of the filter, and not with the value itself', () => {
  const seen = { field: 'status', value: '502' };
  expect(filterWithout(clauses('a OR b', 'status=502', 'x'), seen)).toBe('(a OR b) (x)');
  expect(filterWithout(clauses('*'), seen)).toBe('');
});

it('filters for one file, also if the names of others end with its name', () => {
  const seen = { field: 'source', value: 'api.log' };
  const files = ['api.log', 'app/api.log'];
  expect(filterOf(seen, false, files)).toBe('source:/^api\\.log$/');
  expect(filterOf(seen, true, files)).toBe('NOT source:/^api\\.log$/');
  expect(filterOf(seen, false, ['api.log', 'api.log.1'])).toBe('source="api.log"');
  expect(filterOf({ field: 'source', value: 'app/api.log' }, false, files)).toBe(
    'source="app/api.log"',
  );
});
