import { expect, it } from 'vitest';

import { pinnedFields, pinnedFirst, pinnedOf } from './pinned';

const NAMES = ['level', 'source', 'bytes', 'host', 'status', '__proto__', 'constructor'];

it('pins the two most usual fields of a case, and what a person pinned', () => {
  expect(pinnedFields(NAMES, {})).toEqual(['level', 'status']);
  expect(pinnedFields(NAMES, { level: false, bytes: true })).toEqual(['bytes', 'status']);
  expect(pinnedFields(NAMES, { gone: true })).toEqual(['level', 'status']);
  expect(pinnedFields([], { host: true })).toEqual([]);
});

it('pins no fields of a cluster but those that a person pinned', () => {
  expect(pinnedFields(NAMES, { host: true }, true)).toEqual(['host']);
});

it('reads a stored choice of any version', () => {
  expect(pinnedOf({ status: true, level: 3, host: false })).toEqual({ status: true, host: false });
  expect(pinnedOf(['status'])).toEqual({});
  expect(pinnedOf('status')).toBeUndefined();
  expect(pinnedOf(null)).toBeUndefined();
});

it('lists pinned fields after level and source, in their order', () => {
  const fields = ['level', 'source', 'bytes', 'host', 'status'].map((name) => ({ name }));
  const names = pinnedFirst(fields, ['host', 'status']).map(({ name }) => name);
  expect(names).toEqual(['level', 'source', 'host', 'status', 'bytes']);
});
