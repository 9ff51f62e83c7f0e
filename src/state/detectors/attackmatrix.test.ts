import { expect, it } from 'vitest';

import type { TechniqueCoverage } from '../../ipc/generated';
import { attackMatrix, sightBySource, tacticName } from './attackmatrix';

const part = (
  logSource: string,
  tactic: string,
  technique: string,
  [rules, seeing, fired]: [number, number, number],
): TechniqueCoverage => ({ logSource, tactic, technique, name: '', rules, seeing, fired });

const COVERAGE = [
  part('product windows', 'impact', 'T1486', [3, 0, 0]),
  part('product windows', 'execution', 'T1059', [5, 4, 1]),
  part('product linux', 'execution', 'T1059', [2, 0, 0]),
  part('product linux', 'execution', 'T1053', [2, 0, 0]),
  part('product windows', 'execution', 'T1047', [2, 2, 0]),
  part('product windows', 'made-up', '', [1, 1, 0]),
];

it('has tactics in the order of an attack, and what fired first', () => {
  const columns = attackMatrix(COVERAGE, null);
  expect(columns.map(({ tactic }) => tactic)).toEqual(['execution', 'impact', 'made-up']);
  const [execution] = columns;
  expect(execution!.cells.map(({ technique, sight }) => [technique, sight])).toEqual([
    ['T1059', 'fired'],
    ['T1047', 'seen'],
    ['T1053', 'blind'],
  ]);
  expect(execution!.cells[0]).toMatchObject({ rules: 7, seeing: 4, fired: 1 });
  expect([execution!.fired, execution!.seen]).toEqual([1, 2]);
});

it('shows the rules of one log source', () => {
  const [execution] = attackMatrix(COVERAGE, 'product linux');
  expect(execution!.cells.map(({ sight }) => sight)).toEqual(['blind', 'blind']);
  expect(attackMatrix([], null)).toEqual([]);
});

it('counts the techniques that each log source can see', () => {
  expect(sightBySource(COVERAGE)).toEqual([
    { logSource: 'product windows', techniques: 4, seen: 3 },
    { logSource: 'product linux', techniques: 2, seen: 0 },
  ]);
});

it('names a tactic as a heading', () => {
  expect(tacticName('command-and-control')).toBe('Command and control');
});
