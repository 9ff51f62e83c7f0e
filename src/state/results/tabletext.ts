/** Cells of a result, for people and for other programs. */
import { numberFormat } from '../../base/locale';
import { formatTimeFull, timeFromNanos } from '../../base/time';
import type { Clock } from '../../base/zone';
import { plainNumber } from '../charts/csv';
import type { Nanos, TableCell, TableColumn } from '../../ipc/generated';
import type { SeenValue } from '../values/valueactions';

const exact = numberFormat({ maximumFractionDigits: 6 });
const tiny = numberFormat({ maximumSignificantDigits: 6 });

/** For people, with times in the clock's zone. */
export function cellText(cell: TableCell, { kind }: TableColumn, clock: Clock): string {
  if (cell === null) return '';
  if (kind === 'time' && typeof cell === 'string') return clock.full(timeFromNanos(cell as Nanos));
  if (typeof cell !== 'number') return String(cell);
  return Math.abs(cell) < 0.001 && cell !== 0 ? tiny.format(cell) : exact.format(cell);
}

/** A cell as a value: of a field if its column is one of the case, otherwise a calculated one. */
export function valueOfCell(
  cell: TableCell,
  column: TableColumn,
  clock: Clock,
  isField: (name: string) => boolean,
): SeenValue {
  const { name, kind } = column;
  const isCalculated = kind === 'time' || kind === 'list' || !isField(name);
  if (cell === null) return { field: name, value: null, isCalculated };
  const value = kind === 'time' ? cellText(cell, column, clock) : String(cell);
  return { field: name, value, isCalculated };
}

/** Other programs do not know the zone of the screen: times are in UTC and end in Z. */
function copiedText(cell: TableCell, { kind }: TableColumn): string {
  if (kind !== 'time' || typeof cell !== 'string') return cell === null ? '' : String(cell);
  return `${formatTimeFull(timeFromNanos(cell as Nanos)).replace(' ', 'T')}Z`;
}

/** For the clipboard: cells separated by tabs, with plain numbers. */
export function rowsText(
  columns: readonly TableColumn[],
  rows: readonly (readonly TableCell[])[],
): string {
  const plain = (text: string) => text.replace(/[\t\r\n]+/g, ' ');
  const lines = rows.map((row) =>
    columns
      .map((column, at) => {
        const cell = row[at] ?? null;
        return typeof cell === 'number' ? plainNumber(cell) : plain(copiedText(cell, column));
      })
      .join('\t'),
  );
  return [columns.map(({ name }) => plain(name)).join('\t'), ...lines].join('\n');
}

/** The column and direction of the sort at the end of a query. */
export interface SortStage {
  readonly column: string;
  readonly descending: boolean;
}

const LAST_SORT = /\s*\|\s*sort\s+(-?)(`(?:[^`\\]|\\.)+`|[\p{L}_@][\p{L}\p{N}_.@]*)\s*$/u;

/** The sort that a click on a column wrote, if it is at the end of the query. */
export function sortAtEnd(query: string): SortStage | null {
  const found = LAST_SORT.exec(query);
  if (found === null) return null;
  const name = found[2]!;
  const column = name.startsWith('`') ? name.slice(1, -1).replace(/\\(.)/g, '$1') : name;
  return { column, descending: found[1] === '-' };
}

/** The query sorted by a column, replacing the sort of an earlier click. */
export function sortedBy(query: string, column: string, descending: boolean): string {
  const name = /^[\p{L}_@][\p{L}\p{N}_.@]*$/u.test(column)
    ? column
    : `\`${column.replace(/[\\`]/g, '\\$&')}\``;
  return `${query.replace(LAST_SORT, '')} | sort ${descending ? '-' : ''}${name}`;
}
