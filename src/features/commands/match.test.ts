import { expect, it } from 'vitest';

import { fitness, ranked } from './match';

const named = (...names: string[]) => names.map((name) => ({ id: name, name }));
const names = (all: { name: string }[]) => all.map(({ name }) => name);

it('matches letters in their order and nothing else', () => {
  expect(fitness('Next error', 'nxt')).not.toBeNull();
  expect(fitness('Next error', 'txn')).toBeNull();
  expect(fitness('Undo', 'undoo')).toBeNull();
  expect(fitness('Größe', 'ÖS')).toBeNull();
  expect(fitness('Größe', 'ÖSS')).toBeNull();
  expect(fitness('Größe', 'Öß')).not.toBeNull();
});

it('prefers beginnings of words and consecutive letters', () => {
  const all = named('Add note', 'Show the next error', 'Next error', 'Open the notebook entry');
  expect(names(ranked(all, 'ne', []))[0]).toBe('Next error');
  expect(names(ranked(named('Deselect', 'Select'), 'select', []))[0]).toBe('Select');
});

it('considers each position of a letter that occurs twice', () => {
  expect(fitness('Zoom out', 'oo')).toBeGreaterThan(fitness('Zoom out', 'ot')!);
  expect(fitness('Zoom', 'zzoom')).toBeNull();
});

it('shows the latest choice first while nothing is typed', () => {
  expect(names(ranked(named('a', 'b', 'c'), ' ', ['c', 'b']))).toEqual(['c', 'b', 'a']);
});
