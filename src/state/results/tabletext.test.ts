import { expect, it } from 'vitest';

import { Clock } from '../../base/zone';
import type { TableCell, TableColumn } from '../../ipc/generated';
import { cellText, rowsText, sortAtEnd, sortedBy, valueOfCell } from './tabletext';

const column = (name: string, kind: TableColumn['kind']): TableColumn => ({ name, kind });

it('formats cells by their type', () => {
  const written = (cell: TableCell, of: TableColumn) => cellText(cell, of, new Clock('UTC'));
  expect(written('1772373900123000000', column('time', 'time'))).toBe('2026-03-01 14:05:00.123');
  expect(written('9007199254740993', column('n', 'int'))).toBe('9007199254740993');
  expect(written(null, column('x', 'float'))).toBe('');
  expect(written(true, column('x', 'bool'))).toBe('true');
  expect(written(0.000_012_5, column('x', 'float'))).toBe('0.0000125');
});

it('a cell is the value of a field only in a column of the case', () => {
  const value = (cell: TableCell, of: TableColumn) =>
    valueOfCell(cell, of, new Clock('UTC'), (name) => name === 'status');
  const status = { field: 'status', isCalculated: false };
  expect(value(502, column('status', 'int'))).toEqual({ ...status, value: '502' });
  expect(value('a\n"b"', column('status', 'text'))).toEqual({ ...status, value: 'a\n"b"' });
  expect(value(null, column('status', 'int'))).toEqual({ ...status, value: null });
  expect(value(1234.5, column('p95', 'float'))).toMatchObject({
    value: '1234.5',
    isCalculated: true,
  });
  expect(value('1772373900123000000', column('status', 'time'))).toMatchObject({
    value: '2026-03-01 14:05:00.123',
    isCalculated: true,
  });
});

it('formats times in a zone', () => {
  const time = column('time', 'time');
  const written = (zone: string) => cellText('1772373900123000000', time, new Clock(zone));
  expect(written('Europe/Berlin')).toBe('2026-03-01 15:05:00.123');
  expect(written('America/New_York')).toBe('2026-03-01 09:05:00.123');
});

it('copies times in UTC with Z, whatever the screen shows', () => {
  const copied = rowsText([column('time', 'time')], [['1772373900123000000'], [null]]);
  expect(copied).toBe('time\n2026-03-01T14:05:00.123Z\n');
});

it('copies rows as cells for a spreadsheet', () => {
  const columns = [column('a\tb', 'text'), column('n', 'int')];
  expect(
    rowsText(columns, [
      ['x\ny\tz', 1234.5],
      [null, 2],
    ]),
  ).toBe('a b\tn\nx y z\t1234.5\n\t2');
});

it('replaces the sort of an earlier click with another column', () => {
  const first = sortedBy('a | stats count by b', 'count', true);
  expect(first).toBe('a | stats count by b | sort -count');
  expect(sortedBy(first, 'b', false)).toBe('a | stats count by b | sort b');
  expect(sortedBy(first, 'p95(x): y`z', true)).toBe('a | stats count by b | sort -`p95(x): y\\`z`');
  for (const name of ['count', 'p95(x)', 'a`b\\c', 'größe']) {
    expect(sortAtEnd(sortedBy('| stats count', name, true))).toEqual({
      column: name,
      descending: true,
    });
  }
});

it('leaves a sort alone that is more than one click makes', () => {
  const query = '| stats count by a, b | sort -count, a';
  expect(sortAtEnd(query)).toBeNull();
  expect(sortedBy(query, 'a', false)).toBe(`${query} | sort a`);
  expect(sortAtEnd('| sort -count | limit 5')).toBeNull();
});
