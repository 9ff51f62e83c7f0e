import { expect, it } from 'vitest';

import type { ReferenceTopic } from '../../ipc/generated';
import { found, summaryParts } from './reference';

const entry = (written: string, summary: string, aliases: string[] = []) => ({
  written: [written],
  aliases,
  summary,
  example: null,
});
const topics: ReferenceTopic[] = [
  {
    name: 'Stages',
    entries: [
      entry('top [n] f', 'the most frequent values'),
      entry('stats …', 'counts, as `top` does'),
    ],
  },
  {
    name: 'Functions',
    entries: [entry('count_distinct(x)', 'different values', ['dc', 'top_dc'])],
  },
];
const names = (search: string, only: string | null = null) =>
  found(topics, search, only).flatMap(({ name, entries }) =>
    entries.map(({ written }) => `${name}: ${written[0]}`),
  );

it('finds names, other names and descriptions, names first', () => {
  expect(names('top')).toEqual([
    'Stages: top [n] f',
    'Stages: stats …',
    'Functions: count_distinct(x)',
  ]);
  expect(names('count')).toEqual(['Functions: count_distinct(x)', 'Stages: stats …']);
  expect(names('DC')).toEqual(['Functions: count_distinct(x)']);
  expect(names('values most')).toEqual(['Stages: top [n] f']);
  expect(names('', 'Functions')).toEqual(['Functions: count_distinct(x)']);
  expect(names('nothing like it')).toEqual([]);
});

it('tells code in a summary from words', () => {
  expect(summaryParts('as `top` does')).toEqual([
    { text: 'as ', isCode: false },
    { text: 'top', isCode: true },
    { text: ' does', isCode: false },
  ]);
});
