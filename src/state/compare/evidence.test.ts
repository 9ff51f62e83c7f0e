import { expect, it } from 'vitest';

import { asTime } from '../../base/time';
import type { Compared, Difference } from '../../ipc/generated';
import { evidenceOfSides } from './evidence';
import { ALL } from './sides';

const difference = (text: string): Difference =>
  ({
    subject: { kind: 'pattern', id: 't1', text },
    change: 'new',
    counts: [0, 12],
    shares: [0, 0.02],
    atLeast: 3,
    g2: 40,
    pValue: 1e-8,
    score: 9.31,
    moved: null,
    stop: null,
    beat: null,
    clock: null,
    since: null,
    filter: 'template=t1',
    sideFilters: ['template=t2', 'template=t1'],
    also: [],
  }) as Difference;
const answered = (differences: readonly Difference[], unlisted = 0) =>
  ({
    events: [500, 600],
    differences,
    unlisted,
    volume: {
      events: [500, 600],
      spansS: [3_600, 3_600],
      perSecond: [500 / 3_600, 600 / 3_600],
      change: null,
      atLeast: 1,
      pValue: 0.1,
    },
    notes: ['A: 10000 of 20000 events'],
  }) as unknown as Compared;
const evidence = (answer: Compared, rows = 20) =>
  evidenceOfSides({
    sides: { a: { ...ALL, query: 'v="1|2"', elsewhere: 'remote:prod' }, b: ALL },
    answer,
    placeOf: (name) => (name === 'a' ? 'remote:prod' : 'shop'),
    at: asTime(1_772_373_900_000_000_000n),
    title: 'One',
    rows,
  });

it('keeps the sides, the date and what each row says', () => {
  const text = evidence(answered([difference('no route to <*>')]));
  expect(text).toContain('### One\n');
  expect(text).toContain(String.raw`2026\-03\-01 14\:05\:00 UTC`);
  expect(text).toContain(String.raw`- A: 500 events of remote\:prod, v\=\"1\|2\"`);
  expect(text).toContain(String.raw`- B: 600 events of shop, \*`);
  expect(text).toContain(String.raw`- A\: 10000 of 20000 events.`);
  const row = text.split('\n').find((line) => line.startsWith('| 1 |'));
  expect(row).toBe(
    String.raw`| 1 | new | no route to \<\*\> | Only in B\: 12\, 2\% of its events\. | 0 | 12 | 9\.31 | template\=t2 \/ template\=t1 |`,
  );
});

it('takes the text of logs for text', () => {
  const text = evidence(answered([difference('| # **x** ```query\n`a` <b>')]));
  expect(text).toContain(String.raw`\| \# \*\*x\*\* \`\`\`query`);
  expect(text.split('\n').filter((line) => line.startsWith('| '))).toHaveLength(2);
});

it('says when nothing differs, and what is not listed', () => {
  expect(evidence(answered([]))).toContain('No share of the events differs clearly.');
  expect(evidence(answered([]))).toContain('33 a minute in A');
  const text = evidence(answered([difference('a'), difference('b')], 3), 1);
  expect(text).toContain('4 more differences are not listed.');
});
