/** The specification of a chart, as plain data: stored in the view, on boards and in shared texts. */

export const KINDS = ['bars', 'lines', 'heatmap', 'top', 'histogram', 'table'] as const;
export type ChartKind = (typeof KINDS)[number];

/** Kinds that show the same values for every measure. */
export const FIXED_KINDS: readonly (ChartKind | null)[] = ['heatmap', 'histogram', 'table'];

export const MEASURES = [
  'count',
  'rate',
  'percentiles',
  'p50',
  'p95',
  'p99',
  'avg',
  'sum',
  'min',
  'max',
  'distinct',
] as const;
export type MeasureName = (typeof MEASURES)[number];

export type ValueScaleName = 'linear' | 'logarithmic';

/** How a line goes on where there is no value. */
export const GAPS = ['open', 'joined', 'zero'] as const;
export type GapName = (typeof GAPS)[number];

/** The other time that is drawn as well. A decimal string is where a custom one begins. */
export type Shift = 'none' | 'previous' | 'day' | 'week' | { readonly from: string };

export interface ChartSpec {
  /** Null means automatic. */
  readonly kind: ChartKind | null;
  readonly measure: MeasureName | null;
  /** The field to measure; null for the events themselves. Of a result, the calculation to draw. */
  readonly field: string | null;
  /** A series for each value of this field. */
  readonly split: string | null;
  /** The number of values; all others share one series. */
  readonly top: number;
  readonly scale: ValueScaleName | null;
  readonly gaps: GapName | null;
  readonly shift: Shift;
  /** Series that are hidden in the legend. */
  readonly hidden: readonly string[];
}

export const PLAIN: ChartSpec = {
  kind: null,
  measure: null,
  field: null,
  split: null,
  top: 7,
  scale: null,
  gaps: null,
  shift: 'none',
  hidden: [],
};

/** More lines than this are not distinguishable by colour. */
export const MOST_SERIES = 10;
/** More bars than this are a table rather than a chart. */
export const MOST_TERMS = 100;
/** The default number of bars in a list of values. */
export const TERMS_LISTED = 20;

function oneOf<T extends string>(names: readonly T[], value: unknown): T | null {
  return names.find((name) => name === value) ?? null;
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function shiftIn(value: unknown): Shift {
  const named = oneOf(['none', 'previous', 'day', 'week'] as const, value);
  if (named !== null) return named;
  const from = (value as { from?: unknown } | null | undefined)?.from;
  return typeof from === 'string' && /^-?\d{1,19}$/.test(from) ? { from } : 'none';
}

/** Reads a stored or shared spec; unknown parts are as in a plain chart. */
export function specOf(value: unknown): ChartSpec {
  if (typeof value !== 'object' || value === null) return PLAIN;
  const given = value as Record<string, unknown>;
  const top = Number(given['top']);
  const hidden = Array.isArray(given['hidden']) ? given['hidden'] : [];
  return {
    kind: oneOf(KINDS, given['kind']),
    measure: oneOf(MEASURES, given['measure']),
    field: textOrNull(given['field']),
    split: textOrNull(given['split']),
    top: Number.isInteger(top) && top > 0 ? Math.min(top, MOST_TERMS) : PLAIN.top,
    scale: oneOf(['linear', 'logarithmic'] as const, given['scale']),
    gaps: oneOf(GAPS, given['gaps']),
    // `compare` is its older name.
    shift: shiftIn(given['shift'] ?? given['compare']),
    hidden: hidden.filter((name): name is string => typeof name === 'string'),
  };
}

/** The stored form of a chart: only what differs from a plain one. */
export function keptSpec(spec: ChartSpec): { readonly [name: string]: never } {
  const differs = Object.entries(spec).filter(
    ([name, value]) =>
      JSON.stringify(value) !== JSON.stringify(PLAIN[name as keyof ChartSpec] ?? null),
  );
  return Object.fromEntries(differs) as { readonly [name: string]: never };
}
