/** The text of a new detector: from a query, a chart, or a brushed range. */
import type { ChartSpec, MeasureName } from '../charts/chartspec';

export interface DraftSource {
  /** A filter, without stages. */
  readonly query: string;
  readonly chart: Pick<ChartSpec, 'measure' | 'field' | 'split'> | null;
  /** The length of the case in nanoseconds. */
  readonly span: bigint;
  /** Names that other detectors have. */
  readonly taken: readonly string[];
}

export interface Draft {
  readonly name: string;
  readonly text: string;
}

const MINUTE = 60_000_000_000n;
const DAY = 1_440n * MINUTE;

/** Bins that make a few thousand over the whole case. */
function binOf(span: bigint): string {
  if (span <= 2n * DAY) return '1m';
  return span <= 14n * DAY ? '5m' : '1h';
}

const AGGREGATES: Partial<Record<MeasureName, string>> = {
  percentiles: 'p95',
  p50: 'p50',
  p95: 'p95',
  p99: 'p99',
  avg: 'avg',
  sum: 'sum',
  min: 'min',
  max: 'max',
  distinct: 'count_distinct',
};

/** The aggregate that a chart draws; events per second are counted, because bins have one width. */
export function measureOf(chart: DraftSource['chart']): string {
  const measure = chart?.measure ?? null;
  const aggregate = measure === null ? undefined : AGGREGATES[measure];
  if (chart === null || aggregate === undefined || chart.field === null) return 'count';
  return `${aggregate}(${measuredName(chart.field)})`;
}

/** A field as an aggregate names it. */
export function measuredName(field: string): string {
  return /^[A-Za-z_][\w.]*$/.test(field) ? field : `\`${field}\``;
}

/** A text as a string of TOML. The escapes of JSON are among those of TOML. */
export const quotedText = (text: string) => JSON.stringify(text).replace(/\u007f/g, '\\u007f');

/** A name of lower-case words that no other detector has. */
export function freeName(wanted: string, taken: readonly string[]): string {
  const words = wanted.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const base = words.slice(0, 5).join('-').slice(0, 40) || 'detector';
  let name = base;
  for (let count = 2; taken.includes(name); count += 1) name = `${base}-${count}`;
  return name;
}

/** The level is zero until the back-test suggests one. */
export function draftDetector({ query, chart, span, taken }: DraftSource): Draft {
  const measure = measureOf(chart);
  const split = chart?.split ?? null;
  const name = freeName(`${query} ${measure === 'count' ? '' : measure}`, taken);
  const subject = measure === 'count' ? 'Many events' : `High ${measure}`;
  const title = [subject, query === '' ? '' : `of ${query}`, split === null ? '' : `by ${split}`];
  const lines = [
    '[[detector]]',
    `name = ${quotedText(name)}`,
    `title = ${quotedText(title.filter(Boolean).join(' '))}`,
    'severity = "medium"',
    ...(query === '' ? [] : [`query = ${quotedText(query)}`]),
    ...(split === null ? [] : [`by = [${quotedText(split)}]`]),
    `threshold = { measure = ${quotedText(measure)}, above = 0, every = "${binOf(span)}" }`,
    '',
  ];
  return { name, text: lines.join('\n') };
}
