import { expect, it } from 'vitest';

import { existence, withClause, withTest } from './querytext';

it.each([
  ['', 'status', '500', false, 'status="500"'],
  ['timeout', 'status', '500', false, 'timeout status="500"'],
  ['timeout', 'status', '500', true, 'timeout NOT status="500"'],
  ['a OR b', 'status', '500', false, '(a OR b) status="500"'],
  ['(a OR b) c', 'status', '500', false, '(a OR b) c status="500"'],
  ['"this OR that"', 'status', '500', false, '"this OR that" status="500"'],
  ['', 'path', 'C:\\a "b"', false, 'path="C:\\\\a \\"b\\""'],
  ['', 'my field', 'x', true, 'NOT "my field"="x"'],
])('%j and %s=%s (excluded %s) becomes %s', (query, field, value, excluded, expected) =>
  expect(withClause(query, field, value, excluded)).toBe(expected),
);

it('does not add what is there already', () => {
  expect(withClause('x status="500"', 'status', '500', false)).toBe('x status="500"');
  expect(withClause('NOT status="500" x', 'status', '500', true)).toBe('NOT status="500" x');
});

it('turns a clause round instead of contradicting it', () => {
  expect(withClause('x status="500" y', 'status', '500', true)).toBe('x y NOT status="500"');
  expect(withClause('NOT status="500"', 'status', '500', false)).toBe('status="500"');
});

it.each([
  ['', 'status', 'status:*'],
  ['a OR b', 'my field', '(a OR b) "my field":*'],
  ['status:* x', 'status', 'status:* x'],
])('%j asks for events that have %s by %j', (query, field, expected) =>
  expect(withTest(query, existence(field))).toBe(expected),
);
