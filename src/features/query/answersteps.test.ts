import { expect, it } from 'vitest';

import type { AnswerStep } from '../../ipc/generated';
import { howFound, howFoundHint, termsText, textRead } from './answersteps';

const step: AnswerStep = {
  clause: 'tim*',
  paths: { index: 3 },
  candidates: 600,
  matched: 12,
  texts: 0,
  bytes: 0,
  terms: [],
  termsInAll: 0,
  elapsedMs: 0.4,
};

it('names the one way in which all parts of the case were answered, or counts the parts of each', () => {
  expect(howFound(step)).toBe('text index');
  const mixed = { ...step, paths: { index: 3, scan: 1 } };
  expect(howFound(mixed)).toBe('text index ×3, text scan ×1');
  expect(howFoundHint(mixed).split('\n')).toHaveLength(2);
});

it('says how much text was read', () => {
  expect(textRead(step)).toBe('none');
  expect(textRead({ ...step, texts: 1, bytes: 120 })).toBe('1 event, 120 B');
  expect(textRead({ ...step, texts: 1_204, bytes: 1_230_000 })).toBe('1,204 events, 1.23 MB');
});

it('lists the words that a clause means, and how many more there are', () => {
  expect(termsText(step)).toBe('');
  const found = { ...step, terms: ['time', 'timeout'], termsInAll: 2 };
  expect(termsText(found)).toBe('Words: time timeout');
  expect(termsText({ ...found, termsInAll: 1_002 })).toBe('Words: time timeout and 1,000 more');
});
