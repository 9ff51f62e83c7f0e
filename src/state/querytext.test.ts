import { expect, it } from 'vitest';

import { asksForNotes, clause, endsWithinWord, existence } from './querytext';

it.each([
  ['status', '500', false, 'status="500"'],
  ['status', '500', true, 'NOT status="500"'],
  ['path', 'C:\\a "b"', false, 'path="C:\\\\a \\"b\\""'],
  ['my field', 'x', true, 'NOT "my field"="x"'],
])('%s=%s (excluded %s) becomes %s', (field, value, excluded, expected) =>
  expect(clause(field, value, excluded)).toBe(expected),
);

it('knows whether a word may go on', () => {
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

it('knows which queries ask for what people noted', () => {
  const asking = ['is:starred', 'error (-tag:slow OR x)', 'note.is != noted', '* | search tag:a'];
  expect(asking.map(asksForNotes)).toEqual([true, true, true, true]);
  expect(['this:x', 'is', 'user.tag:x', 'stage:a'].map(asksForNotes)).toEqual(Array(4).fill(false));
});
