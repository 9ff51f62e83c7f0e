import { expect, it } from 'vitest';

import { columnName, orderAtEnd, orderedBy } from './sqltext';

it('replaces the order of a statement with a column’s', () => {
  const first = orderedBy('SELECT service, count(*) AS n FROM events GROUP BY 1', 'n', true);
  expect(first).toBe(
    'SELECT service, count(*) AS n FROM events GROUP BY 1 ORDER BY n DESC NULLS LAST',
  );
  expect(orderAtEnd(first)).toEqual({ column: 'n', descending: true });
  expect(orderedBy(first, 'service', false)).toBe(
    'SELECT service, count(*) AS n FROM events GROUP BY 1 ORDER BY service',
  );
  expect(orderAtEnd(orderedBy(first, 'http."x', false))).toEqual({
    column: 'http."x',
    descending: false,
  });
});

it('keeps the limit of a statement after its order', () => {
  expect(
    orderedBy('SELECT raw FROM events ORDER BY time, line LIMIT 5 OFFSET 2;', 'raw', false),
  ).toBe('SELECT raw FROM events ORDER BY raw LIMIT 5 OFFSET 2');
});

it('leaves an order in parentheses alone', () => {
  const sql = 'SELECT rank() OVER (ORDER BY n) AS r FROM events';
  expect(orderAtEnd(sql)).toBeNull();
  expect(orderedBy(sql, 'r', false)).toBe(`${sql} ORDER BY r`);
  expect(orderAtEnd('SELECT a FROM events ORDER BY a, b')).toBeNull();
});

it('quotes names that would be parsed as something else', () => {
  expect(['n', 'http.status', 'Größe', 'first', 'a"b'].map(columnName)).toEqual([
    'n',
    '"http.status"',
    '"Größe"',
    '"first"',
    '"a""b"',
  ]);
});
