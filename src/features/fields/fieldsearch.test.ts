import { expect, it } from 'vitest';

import type { FieldKind, KnownField } from '../../ipc/generated';
import { areaPath, fittingFields, absentFields } from './fieldsearch';

const field = (name: string, kinds: FieldKind[], ecs: string | null = null): KnownField => ({
  name,
  kinds,
  ecs,
  present: null,
});
const ALL = [
  field('client_ip', ['text'], 'client.ip'),
  field('status', ['int'], 'http.response.status_code'),
  field('ip', ['text']),
  field('flag', ['bool', 'text']),
  field('took', ['float']),
];
const names = (search: string, kind: 'all' | 'text' | 'number' | 'bool' = 'all') =>
  fittingFields(ALL, search, kind).map(({ name }) => name);

it('finds by parts of the name, by the ECS name and by type', () => {
  expect(names('')).toEqual(ALL.map(({ name }) => name));
  expect(names('IP')).toEqual(['ip', 'client_ip']);
  expect(names('http code')).toEqual(['status']);
  expect(names('', 'number')).toEqual(['status', 'took']);
  expect(names('', 'text')).toEqual(['client_ip', 'ip', 'flag']);
  expect(names('nowhere')).toEqual([]);
});

it('moves absent fields, once that is known and none of them is in use', () => {
  const before = new Set(['gone', 'back', 'unknown']);
  const absent: Record<string, boolean | null> = { gone: true, back: false, new: true, held: true };
  const moved = (isHeld: (field: string) => boolean) =>
    absentFields(
      before,
      ['gone', 'back', 'unknown', 'new', 'held', 'other'],
      (field) => absent[field] ?? null,
      isHeld,
    );
  expect([...moved((field) => field === 'held')].sort()).toEqual(['gone', 'new', 'unknown']);
  expect(moved(() => true)).toBe(before);
});

it('draws counts as an area with the maximum at full height', () => {
  expect(areaPath([0, 2, 1])).toBe('M0 1V1H1V0H2V0.5H3V1Z');
  expect(areaPath([])).toBe('M0 1V1Z');
});
