import { expect, it } from 'vitest';

import { fitness, ranked } from './match';

const named = (...names: string[]) => names.map((name) => ({ id: name, name }));
const names = (all: { name: string }[]) => all.map(({ name }) => name);

it('finds letters in their order and nothing else', () => {
  expect(fitness('Next error', 'nxt')).not.toBeNull();
  expect(fitness('Next error', 'txn')).toBeNull();
  expect(fitness('Undo', 'undoo')).toBeNull();
  expect(fitness('Größe', 'ÖS')).toBeNull();
  expect(fitness('Größe', 'ÖSS')).toBeNull();
  expect(fitness('Größe', 'Öß')).not.toBeNull();
});

it('puts beginnings of words and letters in a row first', () => {
  const all = named('Annotate', 'Show the next error', 'Next error', 'Open the notebook entry');
  expect(names(ranked(all, 'ne', []))[0]).toBe('Next error');
  expect(names(ranked(named('Deselect', 'Select'), 'select', []))[0]).toBe('Select');
});

it('counts a letter that occurs twice for each of its places', () => {
  expect(fitness('Zoom out', 'oo')).toBeGreaterThan(fitness('Zoom out', 'ot')!);
  expect(fitness('Zoom', 'zzoom')).toBeNull();
});

it('shows what was chosen last first while nothing is written', () => {
  expect(names(ranked(named('a', 'b', 'c'), ' ', ['c', 'b']))).toEqual(['c', 'b', 'a']);
});
