import { expect, it } from 'vitest';

import { stagesIn, timechartOf } from './timechart';

it.each([
  [['timechart count by level'], 'level', 'count', true],
  [['timechart span=5m count by `my field` limit=3'], 'my field', 'count', true],
  [['timechart p95(duration_ms) by service'], 'service', 'p95(duration_ms)', false],
  [['timechart span=1h'], null, 'count', true],
  [['where x > 1', 'timechart sum(bytes)', 'sort time'], null, 'sum(bytes)', true],
])('%j is split by %s', (stages, split, measure, isSum) => {
  expect(timechartOf(stages)).toEqual({ split, measure, isSum });
});

it('is no timechart after a stage that makes other rows', () => {
  expect(timechartOf(['timechart count by level', 'stats count'])).toBeNull();
  expect(timechartOf(['stats count by level'])).toBeNull();
});

it('cuts a text at its pipes, but not within quotation marks', () => {
  expect(stagesIn('| where path ~ "a|b" | timechart count by level')).toEqual([
    'where path ~ "a|b"',
    'timechart count by level',
  ]);
});
