/** The values of any chart as rows: its table, also for screen readers and CSV. */
import { texts } from '../../base/texts';
import type { Time } from '../../base/time';
import type { SeenValue } from '../values/valueactions';
import type {
  BinsData,
  ChartData,
  HeatData,
  Numbers,
  NumbersCell,
  NumbersColumn,
  Series,
  TermsData,
  TimeData,
} from './chartdata';
import { plainNumber } from './csv';

export function numbersOf(data: ChartData): Numbers {
  switch (data.shape) {
    case 'time':
      return ofTime(data);
    case 'heat':
      return ofHeat(data);
    case 'bins':
      return ofBins(data);
    case 'terms':
      return ofTerms(data);
    case 'rows':
      return data.numbers;
  }
}

/** The value in a cell of a table, or in its head, where the row is null. */
export function seenInTable(
  { columns, rows, values }: Numbers,
  row: number | null,
  column: number,
  timeText: (time: Time) => string,
): SeenValue | null {
  const head = columns[column];
  if (row === null || head === undefined) return head?.value ?? null;
  const cell = rows[row]?.[column] ?? null;
  if (head.unit === 'text') return values?.[row] ?? null;
  if (cell === null) return null;
  if (typeof cell === 'bigint') return { field: 'time', value: timeText(cell) };
  return { field: head.name, value: plainNumber(Number(cell)), isCalculated: true };
}

function ofTime({ edges, series, unit, before }: TimeData): Numbers {
  const columns: NumbersColumn[] = [{ name: texts.charts.time, unit: 'time' }];
  const parts: ((at: number) => NumbersCell)[] = [(at) => edges[at] ?? null];
  for (const one of series) {
    columns.push({ name: one.name, unit, value: one.filter });
    parts.push((at) => one.values[at] ?? null);
    if (one.before === null || before === null) continue;
    const earlier = one.before.values;
    columns.push({ name: `${one.name}, ${texts.charts.before}`, unit, value: one.filter });
    parts.push((at) => earlier[nearest(before.edges, edges[at]!)] ?? null);
  }
  const buckets = Math.max(0, edges.length - 1);
  return {
    columns,
    rows: Array.from({ length: buckets }, (_, at) => parts.map((part) => part(at))),
  };
}

/** The index of the edge closest to a time; -1 if none is within half a bucket. */
function nearest(edges: readonly bigint[], time: bigint): number {
  const width = edges.length > 1 ? edges[1]! - edges[0]! : 0n;
  return edges.slice(0, -1).findIndex((edge) => {
    const distance = edge > time ? edge - time : time - edge;
    return distance * 2n <= width;
  });
}

function ofHeat({ edges, bins, counts, lines, unit }: HeatData): Numbers {
  const many = Math.max(0, bins.length - 1);
  const columns: NumbersColumn[] = [
    { name: texts.charts.time, unit: 'time' },
    { name: texts.charts.from, unit },
    { name: texts.charts.to, unit },
    { name: texts.charts.events, unit: 'plain' },
    ...lines.map(({ name }) => ({ name, unit })),
  ];
  const rows = counts.flatMap((count, cell): NumbersCell[][] => {
    if (count === 0) return [];
    const [bucket, bin] = [Math.floor(cell / many), cell % many];
    const figures = lines.map(({ values }) => values[bucket] ?? null);
    return [[edges[bucket] ?? null, bins[bin] ?? null, bins[bin + 1] ?? null, count, ...figures]];
  });
  return { columns, rows };
}

function ofBins({ bins, series, unit }: BinsData): Numbers {
  const columns: NumbersColumn[] = [
    { name: texts.charts.from, unit },
    { name: texts.charts.to, unit },
    ...series.map(({ name, filter }) => ({ name, unit: 'plain' as const, value: filter })),
  ];
  const row = (at: number): NumbersCell[] => [
    bins[at] ?? null,
    bins[at + 1] ?? null,
    ...series.map(({ values }: Series) => values[at] ?? null),
  ];
  const many = Math.max(0, bins.length - 1);
  return { columns, rows: Array.from({ length: many }, (_, at) => row(at)) };
}

function ofTerms({ field, rows, unit, measureName, compared, meta }: TermsData): Numbers {
  const columns: NumbersColumn[] = [{ name: field, unit: 'text' }];
  const measured = measureName !== texts.charts.measures.count;
  const counted = rows.some(({ count }) => count !== null);
  if (measured) columns.push({ name: measureName, unit });
  if (counted) {
    columns.push({ name: texts.charts.events, unit: 'plain' });
    columns.push({ name: texts.charts.share, unit: 'share' });
  }
  if (compared) columns.push({ name: texts.charts.before, unit });
  return {
    columns,
    rows: rows.map((row) => [
      row.name,
      ...(measured ? [row.value] : []),
      ...(counted ? [row.count, shareOf(row.count, meta.total)] : []),
      ...(compared ? [row.before] : []),
    ]),
    values: rows.map(({ filter }) => filter),
  };
}

function shareOf(count: number | null, total: number): number | null {
  if (count === null) return null;
  return total === 0 ? 0 : count / total;
}
