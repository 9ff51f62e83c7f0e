/** The result of a query as a chart: values over its times, or its first names by its first values. */
import { texts } from '../../base/texts';
import { asTime, timeFromNanos, type Time } from '../../base/time';
import type { Nanos, TableCell, TableColumn } from '../../ipc/generated';
import type { TableHead } from '../results/results.svelte';
import type { ChartData, Series, TermRow, TermsData, TimeData, AnswerMeta } from './chartdata';
import { MOST_SERIES, MOST_TERMS } from './chartspec';
import { unitOf, type Unit } from './units';

type Rows = readonly (readonly TableCell[])[];

/** Whether a column has numbers to draw. */
export function isFigure({ kind }: TableColumn): boolean {
  return kind === 'int' || kind === 'float';
}

/** The unit of a column such as `p95(duration_ms)` or `sum(bytes) as traffic: cart`. */
export function columnUnit(name: string): Unit {
  const [, calculation, field] = /^(\w+)\(([^()]+)\)/.exec(name) ?? [];
  if (/^(count|count_distinct|dc)$/.test(calculation ?? '')) return 'plain';
  return unitOf(field ?? name.replace(/: .*$/, ''));
}

/** A column's calculation: `count: cart` and `count: stock` belong to the same one. */
function groupOf(name: string): string {
  return name.replace(/: .*$/s, '');
}

/** The calculations that a result has values of. */
export function figureGroups(columns: readonly TableColumn[]): string[] {
  return [...new Set(columns.filter(isFigure).map(({ name }) => groupOf(name)))];
}

/** Null if a result has nothing to draw. */
export function chartOfTable(head: TableHead, rows: Rows, group?: string): ChartData | null {
  const { columns } = head;
  const wanted = group ?? figureGroups(columns)[0];
  const figures = columns.flatMap((column, at) =>
    isFigure(column) && groupOf(column.name) === wanted ? [at] : [],
  );
  if (figures.length === 0 || rows.length === 0) return null;
  const firstFigure = columns.findIndex(isFigure);
  // A time after a number is calculated: it is a value of the group, not a position on an axis.
  const time = columns.findIndex(({ kind }, at) => kind === 'time' && at < firstFigure);
  const names = columns.flatMap(({ kind }, at) =>
    kind === 'text' || kind === 'level' || kind === 'bool' || kind === 'list' ? [at] : [],
  );
  if (time >= 0) return overTime(head, rows, time, names[0] ?? null, figures);
  if (names.length === 0) return null;
  return byName(head, rows, names, figures[0]!);
}

function tableMeta(head: TableHead): AnswerMeta {
  return {
    total: head.total,
    untimed: 0,
    missing: 0,
    mistyped: 0,
    fraction: head.fraction,
    elapsedMs: head.elapsedMs,
    notes: [],
  };
}

function overTime(
  head: TableHead,
  rows: Rows,
  time: number,
  name: number | null,
  figures: readonly number[],
): TimeData | null {
  const stamps = rows.flatMap((row) => (typeof row[time] === 'string' ? [row[time]] : []));
  const starts = [...new Set(stamps)].map((nanos) => timeFromNanos(nanos as Nanos)).sort(ascending);
  if (starts.length === 0) return null;
  const slot = new Map(starts.map((start, at) => [start.toString(), at]));
  const series =
    name === null
      ? figures
          .slice(0, MOST_SERIES)
          .map((figure, at) => seriesOf(head, rows, time, slot, figure, at))
      : splitByName(rows, time, slot, name, figures[0]!);
  const edges = [...starts, asTime(starts.at(-1)! + width(starts))];
  return {
    shape: 'time',
    meta: tableMeta(head),
    edges,
    domain: { from: edges[0]!, to: edges.at(-1)! },
    series,
    unit: columnUnit(head.columns[figures[0]!]!.name),
    scale: 'linear',
    stacked: false,
    before: null,
  };
}

const ascending = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0);

/** The smallest step between times; a second if there is only one. */
function width(starts: readonly Time[]): bigint {
  const steps = starts.slice(1).map((start, at) => start - starts[at]!);
  return steps.reduce((least, step) => (step < least ? step : least), steps[0] ?? 1_000_000_000n);
}

function seriesOf(
  { columns }: TableHead,
  rows: Rows,
  time: number,
  slot: ReadonlyMap<string, number>,
  figure: number,
  colour: number,
): Series {
  const { name } = columns[figure]!;
  const values = new Array<number | null>(slot.size).fill(null);
  for (const row of rows) put(values, slot, row[time], row[figure]);
  return { id: name, name, colour, values, whole: null, before: null, filter: null };
}

function splitByName(
  rows: Rows,
  time: number,
  slot: ReadonlyMap<string, number>,
  name: number,
  figure: number,
): Series[] {
  const found = new Map<string, (number | null)[]>();
  for (const row of rows) {
    const text = cellName(row[name]);
    let values = found.get(text);
    if (values === undefined) {
      if (found.size >= MOST_SERIES) continue;
      found.set(text, (values = new Array<number | null>(slot.size).fill(null)));
    }
    put(values, slot, row[time], row[figure]);
  }
  return [...found].map(([text, values], colour) => ({
    id: `=${text}`,
    name: text,
    colour,
    values,
    whole: null,
    before: null,
    filter: null,
  }));
}

function put(
  values: (number | null)[],
  slot: ReadonlyMap<string, number>,
  time: TableCell | undefined,
  figure: TableCell | undefined,
): void {
  const at = slot.get(String(time));
  const value = typeof figure === 'string' ? Number(figure) : figure;
  if (at !== undefined && typeof value === 'number') values[at] = value;
}

function cellName(cell: TableCell | undefined): string {
  if (cell === null || cell === undefined) return '–';
  return cell === '' ? texts.charts.empty : String(cell);
}

function byName(head: TableHead, rows: Rows, names: readonly number[], figure: number): TermsData {
  const { name } = head.columns[figure]!;
  return {
    shape: 'terms',
    meta: tableMeta(head),
    field: names.map((at) => head.columns[at]!.name).join(' · '),
    rows: rows.slice(0, MOST_TERMS).map((row, at): TermRow => {
      const value = row[figure];
      const number = typeof value === 'string' ? Number(value) : value;
      return {
        id: String(at),
        name: names.map((column) => cellName(row[column])).join(' · '),
        colour: 0,
        value: typeof number === 'number' ? number : null,
        count: null,
        before: null,
        filter: null,
      };
    }),
    distinct: head.total,
    considered: head.total,
    compared: false,
    unit: columnUnit(name),
    measureName: name,
  };
}
