/** The requests that all kinds of charts share. */
import { texts } from '../../base/texts';
import { timeFromNanos, type Time, type TimeRange } from '../../base/time';
import type { Aggregate, Axis, By, Measure, Scalar } from '../../ipc/generated';
import type { ResolvedSpec } from './autochart';
import type { ChartData, SeriesColour, TermFilter, AnswerMeta } from './chartdata';
import { MOST_SERIES, type MeasureName } from './chartspec';
import { coloursOf } from './valuecolours';

export interface AskOptions {
  /** Shifts the request into the past by this much. */
  readonly shift?: bigint;
  readonly partial?: (answer: Aggregate) => void;
}

/** One loading of one chart. */
export interface ChartLoad {
  readonly chart: ResolvedSpec;
  /** The time range of the axis. */
  readonly domain: TimeRange;
  /** The number of time buckets that fit. */
  readonly buckets: number;
  readonly zone: string | null;
  /** The width of the timeline's buckets, which are also those of the chart; null if there are none. */
  readonly widthNs: bigint | null;
  ask(by: By[], measures: Measure[], options?: AskOptions): Promise<Aggregate>;
  /** Shows a partial result. */
  show(data: ChartData): void;
}

export const PERCENTILES = [50, 95, 99];

/** The measures of a request; empty if counts are enough. */
export function measures(measure: MeasureName, field: string | null): Measure[] {
  switch (measure) {
    case 'count':
      return [];
    case 'rate':
      return [{ kind: 'rate', per: '1000000000' as never }];
    default:
      return field === null ? [] : [measureOf(measure, field)];
  }
}

function measureOf(measure: MeasureName, field: string): Measure {
  switch (measure) {
    case 'percentiles':
      return { kind: 'percentiles', field, at: PERCENTILES };
    case 'p50':
    case 'p95':
    case 'p99':
      return { kind: 'percentiles', field, at: [Number(measure.slice(1))] };
    case 'distinct':
      return { kind: 'distinct', field };
    default:
      return { kind: 'stats', field };
  }
}

/** The values of a measure in an answer, cell by cell: `avg(duration_ms)`. */
export function figures(answer: Aggregate, measure: MeasureName): readonly (number | null)[] {
  if (measure === 'count') return answer.counts;
  const found =
    measure === 'rate' || measure === 'distinct'
      ? answer.measured[0]
      : answer.measured.find(({ name }) => name.startsWith(`${measure}(`));
  return found?.values ?? [];
}

export function splitBy(field: string, top: number): By {
  return { kind: 'terms', field, top: Math.min(top, MOST_SERIES), order: 'most' };
}

export function timeBy({ buckets, zone, widthNs }: ChartLoad): By {
  if (widthNs !== null) {
    // Aligned as those of the timeline are.
    const interval = { kind: 'fixed', ns: widthNs.toString() as never } as const;
    return { kind: 'time', interval, zone: null };
  }
  return { kind: 'time', interval: { kind: 'auto', buckets }, zone };
}

/** The same buckets for another period, so that both can be overlaid. */
export function sameBuckets(asking: ChartLoad, edges: readonly Time[]): By {
  const width = edges.length > 1 ? edges[1]! - edges[0]! : 0n;
  const even = edges.every((edge, at) => at === 0 || edge - edges[at - 1]! === width);
  if (width <= 0n || !even) return timeBy(asking);
  return {
    kind: 'time',
    interval: { kind: 'fixed', ns: width.toString() as never },
    zone: asking.widthNs === null ? asking.zone : null,
  };
}

export function answerMeta(answer: Aggregate, notes: readonly string[] = []): AnswerMeta {
  const bins = answer.axes.find((axis) => axis.kind === 'bins');
  const measured = answer.measured[0];
  return {
    total: answer.total,
    untimed: answer.untimed,
    missing: bins?.missing ?? measured?.missing ?? 0,
    mistyped: bins?.mistyped ?? measured?.mistyped ?? 0,
    fraction: answer.fraction,
    elapsedMs: answer.elapsedMs,
    notes,
  };
}

export function timesOf(answer: Aggregate): Time[] {
  const axis = answer.axes.find((axis) => axis.kind === 'time');
  return axis === undefined ? [] : axis.edges.map(timeFromNanos);
}

/** One cell of a terms axis. */
export interface TermCell {
  readonly id: string;
  readonly name: string;
  readonly colour: SeriesColour;
  readonly filter: TermFilter | null;
}

export const OTHER = 'other';
export const MISSING = 'missing';

/** The cells of a terms axis: each value, all others, missing values. */
export function termCellsOf(axis: Extract<Axis, { kind: 'terms' }>): TermCell[] {
  const colours = coloursOf(
    axis.field,
    axis.values.map(({ text }) => text),
  );
  const places = axis.values.map((value, at) => ({
    id: `=${value.text}`,
    name: nameOf(value),
    colour: colours[at]!,
    filter: { field: axis.field, value: value.text },
  }));
  return [
    ...places,
    { id: OTHER, name: texts.charts.other, colour: 'other', filter: null },
    { id: MISSING, name: texts.charts.missing, colour: 'missing', filter: null },
  ];
}

function nameOf(value: Scalar): string {
  return value.text === '' ? texts.charts.empty : value.text;
}

/** The result of a secondary request, or a note about its failure. */
export async function orNote<T>(
  asked: Promise<T>,
  what: string,
): Promise<readonly [T | null, string[]]> {
  try {
    return [await asked, []];
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return [null, [`${what} ${reason}`]];
  }
}

/** How much earlier the other time is; null without one. */
export function shiftOf({ chart, domain }: ChartLoad): bigint | null {
  const day = 86_400_000_000_000n;
  switch (chart.shift) {
    case 'none':
      return null;
    case 'previous':
      return domain.to - domain.from;
    case 'day':
      return day;
    case 'week':
      return 7n * day;
    default:
      return domain.from - timeFromNanos(chart.shift.from);
  }
}
