import { expect, it } from 'vitest';

import {
  asksForNotes,
  clause,
  continued,
  endsWithinWord,
  existence,
  withStages,
} from './querytext';

it.each([
  ['status', '500', false, 'status="500"'],
  ['status', '500', true, 'NOT status="500"'],
  ['path', 'C:\\a "b"', false, 'path="C:\\\\a \\"b\\""'],
  ['my field', 'x', true, 'NOT "my field"="x"'],
  ['note', 'a.b\n"c"\u0007/\u202ed', false, 'note:/^a\\.b\\n\\x{22}c\\x{22}\\x{7}\\/\\x{202e}d$/'],
])('%s=%s (excluded %s) becomes %s', (field, value, excluded, expected) =>
  expect(clause(field, value, excluded)).toBe(expected),
);

it('detects a word that may be incomplete', () => {
  expect(['err', 'größ', 'a_'].map(endsWithinWord)).toEqual([true, true, true]);
  expect(['', 'error ', '"a b"', 'a*', '(a)'].map(endsWithinWord)).toEqual([
    false,
    false,
    false,
    false,
    false,
  ]);
});

it.each([
  ['status', 'status:*'],
  ['my field', '"my field":*'],
])('asks for events that have %s', (field, expected) => expect(existence(field)).toBe(expected));

it('detects queries that depend on notes', () => {
  const asking = ['is:starred', 'error (-tag:slow OR x)', 'note.is != starred', '* | search tag:a'];
  expect(asking.map(asksForNotes)).toEqual([true, true, true, true]);
  expect(['this:x', 'is', 'user.tag:x', 'stage:a'].map(asksForNotes)).toEqual(Array(4).fill(false));
});

it('appends stages to a filter, and replaces it with SQL', () => {
  expect(withStages('status:500', '| stats count')).toBe('status:500 | stats count');
  expect(withStages('', '| stats count')).toBe('| stats count');
  expect(withStages('status:500', 'SELECT 1')).toBe('SELECT 1');
});

it('continues a query with a clause or a stage', () => {
  expect(continued('', 'status:500', false)).toBe('status:500');
  expect(continued(' a ', 'b', false)).toBe('a b');
  expect(continued('', 'limit 5', true)).toBe('* | limit 5');
  expect(continued('a | stats count', 'limit 5', true)).toBe('a | stats count | limit 5');
});
