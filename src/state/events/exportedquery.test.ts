import { expect, it } from 'vitest';

import { START, type ViewState } from '../view/viewstate';
import { exportedQuery } from './exportedquery';

const fields = new Set(['time', 'level', 'source', 'raw', 'status', 'order.id', 'odd `name`']);
const column = (field: string) => ({ field, widthPx: null, pinned: false });
const exported = (filter: string, part: Partial<ViewState>) =>
  exportedQuery(filter, { ...START, ...part }, fields);

it('exports everything in the order of the case if nothing else was chosen', () => {
  expect(exported('level:error', {})).toBe('level:error');
  expect(exported('', {})).toBe('');
});

it('exports the chosen columns in their order', () => {
  const columns = ['status', 'time', 'order.id', 'odd `name`', 'gone'].map(column);
  expect(exported('', { columns })).toBe('* | keep status, time, `order.id`, `odd \\`name\\``');
});

it('exports in the chosen order', () => {
  expect(exported('error', { order: 'newestFirst' })).toBe('error | sort -time');
  const sort = { field: 'order.id', descending: true };
  expect(exported('error', { sort, columns: [column('raw')] })).toBe(
    'error | sort -`order.id` | keep raw',
  );
  expect(exported('a', { sort: { field: 'status', descending: false } })).toBe('a | sort status');
});

it('leaves the order of relevance, which is no column', () => {
  const sort = { field: 'relevance', descending: true };
  expect(exported('pool timeout', { sort, order: 'newestFirst' })).toBe('pool timeout');
});
