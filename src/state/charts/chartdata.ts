/** What answers a chart, in the shape that pictures, tables and files are made from. */
import type { LevelName } from '../../base/levels';
import type { Time, TimeRange } from '../../base/time';
import type { ValueScaleName } from './chartspec';
import type { Unit } from './units';

/** A place in the palette, a level's own colour, or one of the two that stand for no value. */
export type SeriesColour = number | LevelName | 'other' | 'missing';

export interface Series {
  /** Stays the same from answer to answer, so that what is switched off stays off. */
  readonly id: string;
  readonly name: string;
  readonly colour: SeriesColour;
  readonly values: readonly (number | null)[];
  /** The same figure over all of the time in view. */
  readonly whole: number | null;
  readonly before: Earlier | null;
  /** What to filter by for the events of this series alone. */
  readonly filter: TermFilter | null;
}

/** The same series in the period that is compared with, moved to where it is laid over. */
export interface Earlier {
  readonly values: readonly (number | null)[];
  readonly whole: number | null;
}

export interface TermFilter {
  readonly field: string;
  readonly value: string;
}

/** What every answer tells. */
export interface AnswerMeta {
  readonly total: number;
  readonly untimed: number;
  /** Events that could not be charted: without the field, or with no number in it. */
  readonly missing: number;
  readonly mistyped: number;
  readonly fraction: number;
  readonly elapsedMs: number;
  /** What went wrong beside the chart itself. */
  readonly notes: readonly string[];
}

/** Figures over time: each is of the stretch from its edge to the next. */
export interface TimeData {
  readonly shape: 'time';
  readonly meta: AnswerMeta;
  readonly edges: readonly Time[];
  readonly domain: TimeRange;
  readonly series: readonly Series[];
  readonly unit: Unit;
  readonly scale: ValueScaleName;
  readonly stacked: boolean;
  /** Edges of the earlier period where it is laid over, and by how much it was moved. */
  readonly before: { readonly edges: readonly Time[]; readonly shift: bigint } | null;
}

/** How many events have which number when. */
export interface HeatData {
  readonly shape: 'heat';
  readonly meta: AnswerMeta;
  readonly field: string;
  readonly edges: readonly Time[];
  readonly domain: TimeRange;
  readonly bins: readonly number[];
  /** Bucket by bucket of time, each from the least bin on. */
  readonly counts: readonly number[];
  readonly lines: readonly Series[];
  readonly unit: Unit;
  readonly scale: ValueScaleName;
}

/** How many events have which number. */
export interface BinsData {
  readonly shape: 'bins';
  readonly meta: AnswerMeta;
  readonly field: string;
  readonly bins: readonly number[];
  readonly series: readonly Series[];
  /** Percentiles and the like, shown as lines. */
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

/** The values of a field, the foremost first; then all others, and events without one. */
export interface TermsData {
  readonly shape: 'terms';
  readonly meta: AnswerMeta;
  readonly field: string;
  readonly rows: readonly TermRow[];
  readonly distinct: number;
  /** How many of the most frequent values were looked at. */
  readonly considered: number;
  readonly compared: boolean;
  readonly unit: Unit;
  readonly measureName: string;
}

export type ColumnUnit = Unit | 'text' | 'time' | 'share';

export interface NumbersColumn {
  readonly name: string;
  readonly unit: ColumnUnit;
}

export type NumbersCell = string | number | Time | null;

/** Figures as rows: the table of a chart, what screen readers read, what CSV holds. */
export interface Numbers {
  readonly columns: readonly NumbersColumn[];
  readonly rows: readonly (readonly NumbersCell[])[];
}

/** A chart that is a table from the start. */
export interface RowsData {
  readonly shape: 'rows';
  readonly meta: AnswerMeta;
  readonly numbers: Numbers;
}

export type ChartData = TimeData | HeatData | BinsData | TermsData | RowsData;
