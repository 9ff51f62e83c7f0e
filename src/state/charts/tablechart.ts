/** The result of a query as a chart: values over its times, or its first names by its first values. */
import { LEVELS } from '../../base/levels';
import { texts } from '../../base/texts';
import { asTime, timeFromNanos, type Time } from '../../base/time';
import type { Nanos, TableCell, TableColumn } from '../../ipc/generated';
import type { TableHead } from '../results/results.svelte';
import type { TimechartStage } from '../results/timechart';
import type {
  ChartData,
  Series,
  SeriesColour,
  TermRow,
  TermsData,
  TimeData,
  AnswerMeta,
} from './chartdata';
import { MOST_SERIES, MOST_TERMS } from './chartspec';
import { unitOf, type Unit } from './units';
import { coloursOf } from './valuecolours';

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

/**
 * The calculation that each column belongs to. Percentiles of the same values are one over time: they have an axis in
 * common.
 */
function groupsOf(columns: readonly TableColumn[]): string[] {
  const isOverTime = columns.every((column) => column.kind === 'time' || isFigure(column));
  const measured = columns.map(({ name }) => /^p\d+\((.+)\)$/s.exec(name)?.[1]);
  return columns.map(({ name }, at) => {
    const values = measured[at];
    const others = measured.filter((each) => each === values).length;
    const isShared = isOverTime && values !== undefined && others > 1;
    return isShared ? `percentiles(${values})` : groupOf(name);
  });
}

/** The calculations that a result has values of. */
export function figureGroups(columns: readonly TableColumn[]): string[] {
  const groups = groupsOf(columns);
  return [...new Set(groups.filter((_, at) => isFigure(columns[at]!)))];
}

/** The calculations that a result can be drawn by, one at a time. */
export function drawableGroups(head: TableHead, timechart: TimechartStage | null): string[] {
  return timechart === null ? figureGroups(head.columns) : timechartGroups(head, timechart);
}

/** What is known of a result besides its table. */
export interface ResultContext {
  /** The calculation to draw; the first one if there is none of this name. */
  readonly group?: string | null;
  /** The stage that made the rows. */
  readonly timechart?: TimechartStage | null;
}

/** Null if a result has nothing to draw. */
export function chartOfTable(
  head: TableHead,
  rows: Rows,
  { group, timechart = null }: ResultContext = {},
): ChartData | null {
  const { columns } = head;
  const groups = drawableGroups(head, timechart);
  const wanted = groups.find((name) => name === group) ?? groups[0];
  if (wanted === undefined) return null;
  if (timechart !== null && columns[0]?.kind === 'time' && rows.length > 0) {
    return ofTimechart(head, rows, wanted, timechart);
  }
  const grouped = groupsOf(columns);
  const figures = columns.flatMap((column, at) =>
    isFigure(column) && grouped[at] === wanted ? [at] : [],
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

/**
 * The calculations of a `timechart`. With a field, each of its values is a column, `error`, or with
 * several calculations `count: error`.
 */
export function timechartGroups({ columns }: TableHead, stage: TimechartStage): string[] {
  const figures = columns.filter(isFigure);
  const isPrefixed = stage.split !== null && figures.every(({ name }) => name.includes(': '));
  if (stage.split === null || isPrefixed) return figureGroups(columns);
  return [stage.measure];
}

function ofTimechart(
  head: TableHead,
  rows: Rows,
  group: string,
  stage: TimechartStage,
): TimeData | null {
  const { columns } = head;
  const slot = slotsOfTimes(rows, 0);
  if (slot === null) return null;
  const isSplit = stage.split !== null && group === stage.measure;
  const groups = groupsOf(columns);
  const wanted = columns.flatMap((column, at) =>
    isFigure(column) && (isSplit || groups[at] === group) ? [at] : [],
  );
  const nameOf = (at: number) => columns[at]!.name.slice(isSplit ? 0 : group.length + 2);
  const colours = stage.split === null ? [] : coloursOf(stage.split, wanted.map(nameOf));
  const series = wanted.map((at, place): Series => {
    const one = seriesOf(head, rows, 0, slot.places, at, place);
    if (stage.split === null) return withSum(one, stage);
    const name = nameOf(at);
    const known = { other: 'other', null: 'missing', none: 'none' } as const;
    const other = known[name as keyof typeof known] as SeriesColour | undefined;
    const filter = other === undefined ? { field: stage.split, value: name } : null;
    return withSum({ ...one, name, colour: other ?? colours[place]!, filter }, stage);
  });
  return {
    ...timeData(head, slot.starts),
    // As in the timeline, the most severe levels are at the bottom, where heights can be compared.
    series: stage.split === 'level' ? series.toSorted(bySeverity) : series,
    unit: columnUnit(group),
    stacked: stage.isSum,
  };
}

const severity = ({ colour }: Series) => LEVELS.findIndex((level) => level === colour);
const bySeverity = (a: Series, b: Series) => severity(b) - severity(a);

/** What adds up has a whole. */
function withSum(series: Series, { isSum }: TimechartStage): Series {
  if (!isSum) return series;
  return { ...series, whole: series.values.reduce<number>((all, value) => all + (value ?? 0), 0) };
}

function slotsOfTimes(
  rows: Rows,
  time: number,
): { readonly starts: Time[]; readonly places: ReadonlyMap<string, number> } | null {
  const stamps = rows.flatMap((row) => (typeof row[time] === 'string' ? [row[time]] : []));
  const starts = [...new Set(stamps)].map((nanos) => timeFromNanos(nanos as Nanos)).sort(ascending);
  if (starts.length === 0) return null;
  return { starts, places: new Map(starts.map((start, at) => [start.toString(), at])) };
}

function timeData(head: TableHead, starts: readonly Time[]) {
  const edges = [...starts, asTime(starts.at(-1)! + width(starts))];
  return {
    shape: 'time',
    meta: tableMeta(head),
    edges,
    domain: { from: edges[0]!, to: edges.at(-1)! },
    scale: 'linear',
    before: null,
  } as const;
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
  const slot = slotsOfTimes(rows, time);
  if (slot === null) return null;
  const series =
    name === null
      ? figures
          .slice(0, MOST_SERIES)
          .map((figure, at) => seriesOf(head, rows, time, slot.places, figure, at))
      : splitByName(head, rows, time, slot.places, name, figures[0]!);
  return {
    ...timeData(head, slot.starts),
    series,
    unit: columnUnit(head.columns[figures[0]!]!.name),
    stacked: false,
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
  { columns }: TableHead,
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
  const colours = coloursOf(columns[name]!.name, [...found.keys()]);
  return [...found].map(([text, values], at) => ({
    id: `=${text}`,
    name: text,
    colour: colours[at]!,
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
