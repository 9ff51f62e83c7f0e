import { expect, it } from 'vitest';

import type { FiredRule } from '../../ipc/generated';
import { aboutTechnique, sortedRules } from './rulelist';

const rule = (name: string, events: number, techniques: string[] = []) =>
  ({ name, events, about: { techniques } }) as unknown as FiredRule;
const RULES = [
  rule('a', 1, ['T1059.001']),
  rule('b', 9, ['T1059', 'T1003']),
  rule('c', 3, ['T10590']),
];

it('lists the noisiest rules first', () => {
  expect(sortedRules(RULES, 'events').map(({ name }) => name)).toEqual(['b', 'c', 'a']);
  expect(sortedRules(RULES, 'severity')).toBe(RULES);
});

it('lists the rules about a technique and its parts', () => {
  expect(aboutTechnique(RULES, 'T1059').map(({ name }) => name)).toEqual(['a', 'b']);
  expect(aboutTechnique(RULES, null)).toBe(RULES);
});
