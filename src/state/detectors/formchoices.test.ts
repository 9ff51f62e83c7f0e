import { expect, it } from 'vitest';

import type { KnownField } from '../../ipc/generated';
import { measureChoices, nameChoices } from './formchoices';

const field = (name: string, kind: 'int' | 'text', present: number): KnownField => ({
  name,
  kinds: [kind],
  ecs: null,
  present,
});
const FIELDS = [field('host', 'text', 5), field('took', 'int', 9), field('my size', 'int', 1)];

it('completes counts, aggregates of numbers and distinct counts of names', () => {
  const choices = measureChoices(FIELDS);
  expect(choices.slice(0, 3)).toEqual(['count', 'p95(took)', 'p95(`my size`)']);
  expect(choices).toContain('sum(took)');
  expect(choices.at(-1)).toBe('count_distinct(host)');
  expect(measureChoices([])).toEqual(['count']);
});

it('completes the last name of a list, and none twice', () => {
  expect(nameChoices('ho', FIELDS)).toEqual(['host', 'took', 'my size']);
  expect(nameChoices('host, t', FIELDS)).toEqual(['host, took', 'host, my size']);
});
