import { expect, it } from 'vitest';

import { asTime } from '../../base/time';
import { renamed, type AnswerMeta, type TermsData, type TimeData } from './chartdata';
import { numbersOf, seenInTable } from './datatable';

const meta: AnswerMeta = {
  total: 4,
  untimed: 0,
  missing: 0,
  mistyped: 0,
  fraction: 1,
  elapsedMs: 1,
  notes: [],
};

it('the head of a series and the rows of a field are values, other cells only numbers', () => {
  const cart = { field: 'service', value: 'cart' };
  const overTime: TimeData = {
    shape: 'time',
    meta,
    edges: [asTime(0n), asTime(1n)],
    domain: { from: asTime(0n), to: asTime(1n) },
    series: [
      { id: '=', name: 'cart', colour: 0, values: [5.5], whole: 1, before: null, filter: cart },
    ],
    unit: 'ms',
    scale: 'linear',
    stacked: false,
    before: null,
  };
  const numbers = numbersOf(overTime);
  const seen = (row: number | null, column: number) =>
    seenInTable(numbers, row, column, () => 'noon');
  expect(seen(null, 0)).toBeNull();
  expect(seen(null, 1)).toEqual(cart);
  expect(seen(0, 0)).toEqual({ field: 'time', value: 'noon' });
  expect(seen(0, 1)).toEqual({ field: 'cart', value: '5.5', isCalculated: true });
  expect(seen(9, 9)).toBeNull();
});

it('the row of an empty or hostile value is that value, and the row of all others is none', () => {
  const row = (value: string | null) => ({
    id: `=${value}`,
    name: value === '' ? '(empty)' : (value ?? 'other'),
    colour: 0,
    value: 2,
    count: 2,
    before: null,
    filter: value === null ? null : { field: 'user', value },
  });
  const terms: TermsData = {
    shape: 'terms',
    meta,
    field: 'user',
    rows: ['', 'a\u202e<b>\n', null].map(row),
    distinct: 2,
    considered: 2,
    compared: false,
    unit: 'plain',
    measureName: 'Count',
  };
  const numbers = numbersOf(terms);
  const seen = [0, 1, 2].map((at) => seenInTable(numbers, at, 0, String)?.value);
  expect(seen).toEqual(['', 'a\u202e<b>\n', undefined]);
});

it('a chart whose series have names has them in its table, and filters by the values', () => {
  const pattern = { field: 'template', value: 't0123456789abcdef' };
  const series = {
    id: '=',
    name: pattern.value,
    colour: 0,
    whole: 1,
    before: null,
    filter: pattern,
  };
  const overTime: TimeData = {
    shape: 'time',
    meta,
    edges: [asTime(0n), asTime(1n)],
    domain: { from: asTime(0n), to: asTime(1n) },
    series: [{ ...series, values: [5.5] }],
    unit: 'plain',
    scale: 'linear',
    stacked: false,
    before: null,
  };
  const named = renamed(overTime, (text) => text.replace(pattern.value, 'Job done'))!;
  const { columns } = numbersOf(named);
  expect(columns.map(({ name }) => name)).toContain('Job done');
  expect(columns.at(-1)!.value).toEqual(pattern);
  const rows = {
    shape: 'rows' as const,
    meta,
    numbers: {
      columns: [{ name: 'template', unit: 'text' as const }],
      rows: [[pattern.value], [1]],
    },
  };
  const shown = renamed(rows, (text) => text.replace(pattern.value, 'Job done'))!;
  expect(numbersOf(shown).rows).toEqual([['Job done'], [1]]);
  expect(renamed(null, (text) => text)).toBeNull();
});
