/** Message patterns over time as the screen draws them: how unusual each cell is for its row. */
import { asTime, timeFromNanos, type Time, type TimeRange } from '../../base/time';
import type { Seismograph as Answer, SeismographRow } from '../../ipc/generated';
import type { RangeChoice } from '../view/ranges';

/** How unusual a cell is. An empty one is not painted. */
export const EMPTY = 0;
export const USUAL = 1;
/** The first of the shades for more events than usual, the stronger ones after it. */
export const MORE = 2;
/** So many spreads from the median on, each is a shade of its own. */
const MORE_FROM = [2, 4, 8, 16];
export const LESS = MORE + MORE_FROM.length;
const LESS_FROM = [2, 4];
export const SHADES = LESS + LESS_FROM.length;

/** A row with the name that people gave to its pattern, if any. */
export type NamedRow = SeismographRow & { readonly name?: string | null };

export interface SeismographData {
  readonly rows: readonly NamedRow[];
  /** Patterns that occur, listed or not. */
  readonly distinct: number;
  readonly bins: number;
  readonly start: Time;
  readonly bin: bigint;
  /** The times of the picture. */
  readonly domain: TimeRange;
  /** A shade for each cell, row by row. */
  readonly shades: Uint8Array;
}

export function seismographData(answer: Answer, range: RangeChoice): SeismographData {
  const bins = answer.all.length;
  const start = timeFromNanos(answer.start);
  const bin = BigInt(answer.binNs);
  const shades = new Uint8Array(answer.rows.length * bins);
  answer.rows.forEach((row, at) => {
    for (let each = 0; each < bins; each += 1)
      shades[at * bins + each] = shadeOf(row, row.counts[each] ?? 0, answer.all[each] ?? 0);
  });
  return {
    rows: answer.rows,
    distinct: answer.distinct,
    bins,
    start,
    bin,
    domain: range ?? { from: start, to: asTime(start + bin * BigInt(bins)) },
    shades,
  };
}

/** The rows of patterns that are to be shown, with their names. */
export function withNames(
  data: SeismographData,
  nameOf: (id: string) => string | null,
  isShown: (id: string) => boolean = () => true,
): SeismographData {
  const { bins } = data;
  const kept = data.rows.flatMap(({ id }, at) => (isShown(id) ? [at] : []));
  const shades = new Uint8Array(kept.length * bins);
  kept.forEach((at, row) =>
    shades.set(data.shades.subarray(at * bins, (at + 1) * bins), row * bins),
  );
  const rows = kept.map((at): NamedRow => {
    const row = data.rows[at]!;
    return { ...row, name: nameOf(row.id) };
  });
  return { ...data, rows, shades };
}

/** Where no pattern has any events, a row without events says nothing. */
export function shadeOf({ normal }: Pick<SeismographRow, 'normal'>, count: number, all: number) {
  if (all === 0) return EMPTY;
  const deviation = (count - normal.median) / normal.spread;
  const more = MORE_FROM.findLastIndex((from) => deviation >= from);
  if (more >= 0) return MORE + more;
  const less = LESS_FROM.findLastIndex((from) => deviation <= -from);
  if (less >= 0) return LESS + less;
  return count > 0 ? USUAL : EMPTY;
}

/** The times of some bins, cut to those of the picture. */
export function binsRange(data: SeismographData, first: number, last: number): TimeRange {
  const from = asTime(data.start + data.bin * BigInt(first));
  const to = asTime(data.start + data.bin * BigInt(last + 1));
  return {
    from: from < data.domain.from ? data.domain.from : from,
    to: to > data.domain.to ? data.domain.to : to,
  };
}

/** How many rows start, stop and repeat. */
export function changesOf(rows: readonly SeismographRow[]) {
  const count = (has: (row: SeismographRow) => boolean) => rows.filter(has).length;
  return {
    starts: count(({ started }) => started !== null),
    stops: count(({ stopped }) => stopped !== null),
    beats: count(({ periodNs }) => periodNs !== null),
  };
}
