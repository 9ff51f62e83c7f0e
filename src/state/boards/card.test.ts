import { expect, it, test } from 'vitest';

import { specOf } from '../charts/chartspec';
import type { BoardChart } from './boards.svelte';
import { bothFilters, cardName, cardTitle } from './card';

const card = (part: Partial<BoardChart>): BoardChart => ({
  id: 'a',
  title: null,
  filter: '',
  spec: specOf({ kind: 'lines', measure: 'p95', field: 'took', split: 'service' }),
  stages: null,
  wide: false,
  ...part,
});

test.each([
  ['its chart', {}, 'p95 of took over time by service'],
  ['its stages', { stages: '| stats count by host' }, 'stats count by host'],
  ['what a person called it', { title: 'Slow', stages: '| x' }, 'Slow'],
])('a chart of a board is titled by %s', (_, part, expected) => {
  expect(cardTitle(card(part), undefined)).toBe(expected);
});

it('is called by its filter as well, which is cut and shown as text if it is long or hostile', () => {
  expect(cardName(card({ title: 'Slow', filter: 'level=error' }), undefined)).toBe(
    'Slow: level=error',
  );
  expect(cardName(card({ title: 'Slow' }), undefined)).toBe('Slow');
  const hostile = cardName(card({ title: 'Slow', filter: `\u202e${'x'.repeat(1e5)}` }), undefined);
  expect(hostile).toHaveLength('Slow: '.length + 81);
  expect(hostile).not.toContain('\u202e');
});

test.each([
  ['', 'b', 'b'],
  ['a', '', 'a'],
  ['a', 'a', 'a'],
  ['a OR b', 'c', '(a OR b) (c)'],
])('the filter %j within %j is %j', (own, view, expected) => {
  expect(bothFilters(own, view)).toBe(expected);
});
