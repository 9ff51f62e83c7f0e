import { expect, it } from 'vitest';

import type { FieldInfo } from '../../state/charts/autochart';
import { suggestions } from './suggestions';

const field = (
  name: string,
  kinds: FieldInfo['kinds'],
  distinct: number | null,
  present: number | null,
): FieldInfo => ({ field: name, kinds, distinct, present });

const labels = (fields: readonly FieldInfo[]) => suggestions(fields).map(({ label }) => label);

it('suggests durations, then the fields with the fewest values', () => {
  const fields = [
    field('method', ['text'], 4, 900),
    field('id', ['text'], 800, 1000),
    field('protocol', ['text'], 1, 1000),
    field('version', ['text'], 2, 500),
    field('duration_ms', ['int'], 300, 700),
  ];
  expect(labels(fields)).toEqual(['duration_ms', 'version', 'method']);
});

it('does not suggest what few events have', () => {
  const fields = [
    field('source', ['text'], 90, 1000),
    field('boot_ms', ['int'], 3, 49),
    field('mode', ['text'], 3, 50),
    field('unknown', ['text'], 5, null),
  ];
  expect(labels(fields)).toEqual(['mode', 'unknown', 'source']);
});

it('suggests the 95th percentile of a duration by service first', () => {
  const fields = [
    field('host', ['text'], 3, 900),
    field('service', ['text'], null, 1000),
    field('duration_ms', ['int'], 300, 700),
  ];
  expect(suggestions(fields)[0]).toMatchObject({
    label: 'p95 of duration_ms by service',
    spec: { kind: 'lines', measure: 'p95', field: 'duration_ms', split: 'service' },
  });
  expect(labels(fields).slice(1)).toEqual(['duration_ms', 'host']);
  expect(labels(fields.slice(0, 1))).toEqual(['host']);
});
