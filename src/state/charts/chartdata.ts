/** The data of a chart, in the shape from which images, tables and files are made. */
import type { LevelName } from '../../base/levels';
import type { Time, TimeRange } from '../../base/time';
import type { GapName, ValueScaleName } from './chartspec';
import type { Unit } from './units';

/** An index in the palette, a level's own colour, or one of the two for no value. */
export type SeriesColour = number | LevelName | 'other' | 'missing';

export interface Series {
  /** Stays the same from answer to answer, so that hidden series stay hidden. */
  readonly id: string;
  readonly name: string;
  readonly colour: SeriesColour;
  /** Which of several lines of the same colour it is. */
  readonly dash?: number;
  readonly values: readonly (number | null)[];
  /** The same value over the whole range. */
  readonly whole: number | null;
  readonly before: Earlier | null;
  /** The filter for the events of this series. */
  readonly filter: TermFilter | null;
}

/** A chart with its gaps drawn as chosen, or as suits it. */
export function withGaps(data: ChartData | null, gaps: GapName | null): ChartData | null {
  if (gaps === null || (data?.shape !== 'time' && data?.shape !== 'heat')) return data;
  return { ...data, gaps };
}

/** A chart whose series and values have other names. */
export function renamed(data: ChartData | null, name: (text: string) => string): ChartData | null {
  const all = <One extends { readonly name: string }>(those: readonly One[]): One[] =>
    those.map((one) => ({ ...one, name: name(one.name) }));
  switch (data?.shape) {
    case 'time':
    case 'bins':
      return { ...data, series: all(data.series) };
    case 'heat':
      return { ...data, lines: all(data.lines) };
    case 'terms':
      return { ...data, rows: all(data.rows) };
    case 'rows': {
      const { columns, rows } = data.numbers;
      const cells = rows.map((row) =>
        row.map((cell) => (typeof cell === 'string' ? name(cell) : cell)),
      );
      return { ...data, numbers: { ...data.numbers, columns: all(columns), rows: cells } };
    }
    default:
      return null;
  }
}

/** Whether a value is missing in one of the lines of a chart. */
export function hasGaps(data: ChartData | null): boolean {
  const isDrawnAsLines = data?.shape === 'time' && !data.stacked;
  return isDrawnAsLines && data.series.some(({ values }) => values.includes(null));
}

/** The same series in the previous period, shifted to the current one. */
export interface Earlier {
  readonly values: readonly (number | null)[];
  readonly whole: number | null;
}

export interface TermFilter {
  readonly field: string;
  readonly value: string;
}

/** The part that every answer has. */
export interface AnswerMeta {
  readonly total: number;
  readonly untimed: number;
  /** Events that could not be charted: without the field, or without a number in it. */
  readonly missing: number;
  readonly mistyped: number;
  readonly fraction: number;
  readonly elapsedMs: number;
  /** Failures of secondary requests. */
  readonly notes: readonly string[];
}

/** Values over time: each is of the span from its edge to the next. */
export interface TimeData {
  readonly shape: 'time';
  readonly meta: AnswerMeta;
  readonly edges: readonly Time[];
  readonly domain: TimeRange;
  readonly series: readonly Series[];
  readonly unit: Unit;
  readonly scale: ValueScaleName;
  readonly stacked: boolean;
  /** How its lines are drawn. */
  readonly gaps?: GapName;
  /** Edges of the previous period after the shift, and the shift. */
  readonly before: { readonly edges: readonly Time[]; readonly shift: bigint } | null;
}

/** Event counts by time and number. */
export interface HeatData {
  readonly shape: 'heat';
  readonly meta: AnswerMeta;
  readonly field: string;
  readonly edges: readonly Time[];
  readonly domain: TimeRange;
  readonly bins: readonly number[];
  /** Time bucket by time bucket, each from the lowest bin up. */
  readonly counts: readonly number[];
  readonly lines: readonly Series[];
  readonly gaps?: GapName;
  readonly unit: Unit;
  readonly scale: ValueScaleName;
}

/** Event counts by number. */
export interface BinsData {
  readonly shape: 'bins';
  readonly meta: AnswerMeta;
  readonly field: string;
  readonly bins: readonly number[];
  readonly series: readonly Series[];
  /** Percentiles, shown as lines. */
  readonly marks: readonly { readonly name: string; readonly value: number }[];
  readonly unit: Unit;
  readonly scale: ValueScaleName;
}

export interface TermRow {
  readonly id: string;
  readonly name: string;
  readonly colour: SeriesColour;
  readonly value: number | null;
  /** Events with the value; null for a row of a result, which counts none. */
  readonly count: number | null;
  readonly before: number | null;
  readonly filter: TermFilter | null;
}

/** The values of a field, the largest first; then all others, and missing values. */
export interface TermsData {
  readonly shape: 'terms';
  readonly meta: AnswerMeta;
  readonly field: string;
  readonly rows: readonly TermRow[];
  readonly distinct: number;
  /** How many of the most frequent values were considered. */
  readonly considered: number;
  readonly compared: boolean;
  readonly unit: Unit;
  readonly measureName: string;
}

export type ColumnUnit = Unit | 'text' | 'time' | 'share';

export interface NumbersColumn {
  readonly name: string;
  readonly unit: ColumnUnit;
  /** The value that the column is of. */
  readonly value?: TermFilter | null;
}

export type NumbersCell = string | number | Time | null;

/** Values as rows: the table of a chart, also for screen readers and CSV. */
export interface Numbers {
  readonly columns: readonly NumbersColumn[];
  readonly rows: readonly (readonly NumbersCell[])[];
  /** The value that each row is of, where rows are those of values. */
  readonly values?: readonly (TermFilter | null)[];
}

/** A chart that is a table from the start. */
export interface RowsData {
  readonly shape: 'rows';
  readonly meta: AnswerMeta;
  readonly numbers: Numbers;
}

export type ChartData = TimeData | HeatData | BinsData | TermsData | RowsData;
