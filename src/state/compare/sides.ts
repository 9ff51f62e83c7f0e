/** The two sides of a comparison: what B is compared with, and where the sides come from. */
import {
  asTime,
  ceilTo,
  floorTo,
  formatTimeFull,
  nanosFromTime,
  parseTime,
  SECOND,
  type Time,
  type TimeRange,
} from '../../base/time';
import type { Difference, View } from '../../ipc/generated';
import { cellBlock } from '../notes/cellblock';
import { baselineRange, type Baseline } from '../patterns/templates.svelte';
import { clause, fieldName } from '../query/querytext';
import type { RangeChoice } from '../view/ranges';
import type { Json } from '../view/viewstate';

export interface ComparedSide {
  readonly query: string;
  readonly range: RangeChoice;
  /** All times but the range. */
  readonly isOutside: boolean;
  /** The folder of another case, or `remote:NAME`; null for the one that is open. */
  readonly elsewhere: string | null;
}

/** A is what to compare with, and B what is looked into. */
export interface ComparedSides {
  readonly a: ComparedSide;
  readonly b: ComparedSide;
}

export type SideName = keyof ComparedSides;
export const SIDE_NAMES: readonly SideName[] = ['a', 'b'];

/** What the sides are taken from: the filter and the range of the screen, and all times of the case. */
export interface TakenFrom {
  readonly query: string;
  readonly range: RangeChoice;
  readonly whole: TimeRange;
}

/** What the selected range, or the filter, is compared with. */
export type Against = Exclude<Baseline, 'chosen'> | 'halves' | 'others';
export const AGAINST: readonly Against[] = ['rest', 'before', 'day', 'week', 'halves', 'others'];

export const ALL: ComparedSide = { query: '', range: null, isOutside: false, elsewhere: null };

/** Both sides; null where there is no range, or no filter, to take them from. */
export function sidesAgainst(against: Against, from: TakenFrom): ComparedSides | null {
  const { query, range } = from;
  const whole = readable(from.whole);
  const side = (range: RangeChoice): ComparedSide => ({ ...ALL, query, range });
  if (against === 'others') {
    if (query.trim() === '') return null;
    return { a: { ...side(range), query: `NOT (${query})` }, b: side(range) };
  }
  if (against === 'halves') {
    const all = range ?? whole;
    const middle = readableTime(asTime((all.from + all.to) / 2n), all);
    if (middle <= all.from) return null;
    return { a: side({ from: all.from, to: middle }), b: side({ from: middle, to: all.to }) };
  }
  if (range === null) return null;
  const b = side({ from: range.from, to: range.to });
  if (against === 'rest') return { a: { ...b, isOutside: true }, b };
  return { a: side(baselineRange(against, range, null)), b };
}

/** The events with a clause as B, and all others of a filter and range as A. */
export function sidesOfClause(clause: string, query: string, range: RangeChoice): ComparedSides {
  const side = (own: string): ComparedSide => ({ ...ALL, range, query: both(query, own) });
  return { a: side(`NOT (${clause})`), b: side(clause) };
}

/** So long that nobody misses a part of a second. */
const LONG = 100n * SECOND;

const isLong = ({ from, to }: TimeRange) => to - from >= LONG;

/** All times of the case in whole seconds, which are shorter to read and include the same events. */
function readable(whole: TimeRange): TimeRange {
  if (!isLong(whole)) return whole;
  return { from: floorTo(whole.from, SECOND), to: ceilTo(whole.to, SECOND) };
}

function readableTime(time: Time, within: TimeRange): Time {
  return isLong(within) ? floorTo(time, SECOND) : time;
}

/**
 * The time before a marker as A. B is the selected range, without what of it is before the marker; where none is
 * selected, all that follows.
 */
export function sidesAtMarker(marker: TimeRange['from'], from: TakenFrom): ComparedSides | null {
  const { query, range } = from;
  const whole = readable(from.whole);
  const isWithin = range !== null && range.from < marker && marker < range.to;
  const start = isWithin ? range.from : whole.from;
  const after = range === null || isWithin ? { from: marker, to: (range ?? whole).to } : range;
  if (start >= marker || after.from >= after.to) return null;
  const side = (range: TimeRange): ComparedSide => ({ ...ALL, query, range });
  return { a: side({ from: start, to: marker }), b: side({ from: after.from, to: after.to }) };
}

/** The case that sides are of, and the zone of typed times; null is UTC. */
export interface ComparedIn {
  readonly casePath: string;
  readonly zone: string | null;
}

/** Both sides as requests. */
export function viewsOfSides({ a, b }: ComparedSides, place: ComparedIn): { a: View; b: View } {
  return { a: viewOfSide(a, place), b: viewOfSide(b, place) };
}

/** The events of a side as a request. */
export function viewOfSide(side: ComparedSide, { casePath, zone }: ComparedIn): View {
  const { query, range, isOutside } = side;
  const zoned = zone === null || query === '' ? {} : { zone };
  const own = { case: side.elsewhere ?? casePath, ...zoned };
  if (range === null) return { ...own, query, from: null, to: null };
  if (isOutside) return { ...own, query: both(query, outside(range)), from: null, to: null };
  const [from, to] = [nanosFromTime(range.from), nanosFromTime(range.to)] as const;
  return { ...own, query, from, to } as View;
}

/** The filter for all events but those of a range, those without a time among them. */
export function outside(range: TimeRange): string {
  return `NOT (${inside(range)})`;
}

const inside = ({ from, to }: TimeRange) => `time>=${written(from)} time<${written(to)}`;

/** The columns of a comparison on a page. */
const CELL_COLUMNS =
  'change, what, a, b, share_a, share_b, p50_a, p50_b, period_a_s, period_b_s, clock_s, since, score, filter';

/** So many curves of numbers that moved go onto a page with their comparison. */
const CITED_CURVES = 3;

/** A cell of a notebook page that compares the same, whenever the page is shown. */
export function cellOfSides(
  { a, b }: ComparedSides,
  options: { readonly title: string; readonly rows: number; readonly zone: string | null },
): string {
  const { rows } = options;
  const query = `${filterOfSide(b)} | compare with (${filterOfSide(a)}) limit=${rows} | keep ${CELL_COLUMNS}`;
  return cellBlock('query', query, options);
}

/** Cells that draw how the numbers of the first rows moved. */
export function curveCells(
  { a, b }: ComparedSides,
  rows: readonly Difference[],
  zone: string | null,
): string {
  const cells = rows.flatMap(({ subject }) => {
    if (subject.kind !== 'number') return [];
    const { field, group } = subject;
    const value = group?.kind === 'value' ? clause(group.field, group.value.text) : '';
    const side = (one: ComparedSide) =>
      value === '' ? filterOfSide(one) : both(filterOfSide(one), value);
    const title = `${field} ${value.replace(/["\\]/g, '')}`.trim();
    const query = `${side(b)} | quantiles ${fieldName(field)} with (${side(a)})`;
    return [cellBlock('chart', query, { zone, title })];
  });
  return cells.slice(0, CITED_CURVES).join('');
}

/** The filter that finds the events of a side in its case. */
export function filterOfSide({ query, range, isOutside }: ComparedSide): string {
  if (range === null) return query.trim() === '' ? '*' : query;
  return both(query, isOutside ? outside(range) : inside(range));
}

/** The filter for the events that match two. */
export function both(one: string, other: string): string {
  const text = one.trim();
  if (text === '') return other;
  return `${/\s/.test(text) ? `(${text})` : text} ${other}`;
}

const written = (time: TimeRange['from']) => `${formatTimeFull(time).replace(' ', 'T')}Z`;

/** As the view stores them. */
export function jsonOfSides({ a, b }: ComparedSides): Json {
  const json = ({ query, range, isOutside, elsewhere }: ComparedSide): Json => ({
    query,
    from: range === null ? null : written(range.from),
    to: range === null ? null : written(range.to),
    outside: isOutside,
    elsewhere,
  });
  return { a: json(a), b: json(b) };
}

/** Null if nothing is compared, or the text of the view was written by hand and is none. */
export function sidesOfJson(json: Json): ComparedSides | null {
  const [a, b] = SIDE_NAMES.map((name) => sideOfJson(member(json, name)));
  return !a || !b ? null : { a, b };
}

function sideOfJson(json: Json): ComparedSide | null {
  const query = member(json, 'query');
  if (typeof query !== 'string') return null;
  const [from, to] = [member(json, 'from'), member(json, 'to')].map((text) =>
    typeof text === 'string' ? parseTime(text) : null,
  );
  const range = isTime(from) && isTime(to) && from < to ? { from, to } : null;
  const elsewhere = member(json, 'elsewhere');
  return {
    query,
    range,
    isOutside: range !== null && member(json, 'outside') === true,
    elsewhere: typeof elsewhere === 'string' ? elsewhere : null,
  };
}

const isTime = (time: Time | null | undefined): time is Time => typeof time === 'bigint';

function member(json: Json, name: string): Json {
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
  return isObject ? ((json as { readonly [name: string]: Json })[name] ?? null) : null;
}
