import { expect, it } from 'vitest';

import type { KnownField } from '../../ipc/generated';
import { byCoverage, isNumber } from './coverage';

const field = (
  name: string,
  present: number | null,
  ...kinds: KnownField['kinds']
): KnownField => ({
  name,
  kinds,
  ecs: null,
  present,
});

it('lists level and source, then fields by coverage, then by name without case', () => {
  const fields = [
    field('zeta', 5),
    field('Beta', 5),
    field('alpha', 5),
    field('a10', null),
    field('a9', null),
    field('status', 900),
    field('source', 1000),
    field('level', 1000),
  ];
  expect(byCoverage(fields).map(({ name }) => name)).toEqual([
    'level',
    'source',
    'status',
    'alpha',
    'Beta',
    'zeta',
    'a9',
    'a10',
  ]);
});

it('calls a field a number if it has nothing else', () => {
  expect(isNumber(field('a', 1, 'int', 'float'))).toBe(true);
  expect(isNumber(field('a', 1, 'int', 'text'))).toBe(false);
  expect([isNumber(field('a', 1)), isNumber(undefined)]).toEqual([false, false]);
});
