import { expect, it } from 'vitest';

import type { EventDetail } from '../../ipc/generated';
import { allFields, splitDifference } from './differences';

function event(time: string | null, fields: Record<string, string>): EventDetail {
  const named = Object.entries(fields).map(([name, value]) => ({ name, value, kind: 'text' }));
  return { row: { time, level: 'none', line: 3 }, source: { name: 'a' }, fields: named } as never;
}

it('names every field of either event, and what is missing in one of them', () => {
  const all = allFields(event('0', { a: '1', b: '2' }), event(null, { b: '3', c: '' }));
  expect(all.slice(0, 2)).toEqual([
    { field: 'time', one: '1970-01-01T00:00:00Z', other: null },
    { field: 'level', one: null, other: null },
  ]);
  expect(all.slice(4)).toEqual([
    { field: 'a', one: '1', other: null },
    { field: 'b', one: '2', other: '3' },
    { field: 'c', one: null, other: '' },
  ]);
});

it.each([
  ['GET /a/1 200', 'GET /a/22 200', 'GET /a/', '1', '22', ' 200'],
  ['same', 'same', 'same', '', '', ''],
  ['aa', 'aaa', 'aa', '', 'a', ''],
  ['', 'new', '', '', 'new', ''],
  ['x😀y', 'x😁y', 'x', '😀', '😁', 'y'],
])(
  'splits %j and %j at their difference and loses nothing',
  (one, other, before, here, there, after) => {
    const cut = splitDifference(one, other);
    expect(cut).toEqual({ before, one: here, other: there, after });
    expect(cut.before + cut.one + cut.after).toBe(one);
    expect(cut.before + cut.other + cut.after).toBe(other);
  },
);
