/** What the bars of the timeline are made of: lanes, and in each the series that are stacked. */
import { LEVELS, type LevelName } from '../../base/levels';
import { timeFromNanos } from '../../base/time';
import type { Aggregate, By, Scalar } from '../../ipc/generated';
import type { TimelineData } from './timelinedata';
import type { TimelineChoice } from '../view/viewstate';

/** Values that are told apart; the others are counted together. */
export const MOST_SERIES = 8;
/** Lanes that fit one above the other and can still be read. */
export const MOST_LANES = 8;

/** How a series is coloured: as a level, as the so-manieth of some values, as all others, or as none. */
export type Tone = { readonly level: LevelName } | { readonly place: number } | 'other' | 'missing';

export interface Series {
  readonly key: string;
  /** Null is for all other values, and for events without any. */
  readonly label: string | null;
  readonly tone: Tone;
  readonly counts: readonly number[];
  readonly total: number;
}

export interface Lane {
  /** Null where there is one lane for all, and for all other sources. */
  readonly label: string | null;
  /** The one that stands on the ground line comes first. */
  readonly series: readonly Series[];
  readonly sums: readonly number[];
  readonly tallest: number;
}

export interface Strata {
  /** The timeline that is taken apart: its buckets are these. */
  readonly data: TimelineData;
  readonly split: string;
  readonly lanes: readonly Lane[];
  readonly isLaned: boolean;
  readonly fraction: number;
}

const NONE: LevelName = 'none';
const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0);
const tallestOf = (sums: readonly number[]) => sums.reduce((most, each) => Math.max(most, each), 0);

/** By level and in one lane, which is what every timeline comes with. */
export function levelStrata(data: TimelineData): Strata {
  // The worst levels stand on the ground line, where their heights can be compared.
  const series = data.series.toReversed().map(({ level, counts }): Series => ({
    key: level,
    label: level,
    tone: { level },
    counts,
    total: sum(counts),
  }));
  const lane: Lane = { label: null, series, sums: data.sums, tallest: data.tallest };
  return { data, split: 'level', lanes: [lane], isLaned: false, fraction: data.fraction };
}

/** Whether a timeline by itself shows what was chosen. */
export function isPlain({ split, lanes }: TimelineChoice): boolean {
  return split === 'level' && !lanes;
}

/** What has to be counted apart for a choice, in the buckets of a timeline. */
export function axesOf(data: TimelineData, { split, lanes }: TimelineChoice): By[] {
  const time: By = {
    kind: 'time',
    interval: { kind: 'fixed', ns: data.bucket.toString() as never },
    zone: null,
  };
  const terms = (field: string, top: number): By => ({ kind: 'terms', field, top, order: 'most' });
  const parts = terms(split, MOST_SERIES);
  return lanes ? [time, terms('source', MOST_LANES), parts] : [time, parts];
}

/** The counts of an answer as lanes and series. Other values, and events without any, are series too. */
export function strataOf(
  data: TimelineData,
  choice: TimelineChoice,
  answer: Aggregate,
): Strata | null {
  const [time, ...others] = answer.axes;
  const parts = others.at(-1);
  const lanes = choice.lanes ? others[0] : null;
  if (time?.kind !== 'time' || parts?.kind !== 'terms') return null;
  if (lanes !== null && lanes?.kind !== 'terms') return null;
  const buckets = bucketsOf(data, time.edges);
  const partCells = cellsOf(parts.values, choice.split);
  const laneCells = lanes === null ? [ALL] : cellsOf(lanes.values, 'source');
  const countsOf = (lane: number, part: number) => {
    const counts = new Array<number>(data.buckets).fill(0);
    buckets.forEach((bucket, at) => {
      const cell = (at * laneCells.length + lane) * partCells.length + part;
      if (bucket !== null) counts[bucket]! += answer.counts[cell] ?? 0;
    });
    return counts;
  };
  const order = stackOrder(partCells);
  const made = laneCells.map((cell, lane): Lane => {
    const series = order.map((part): Series => {
      const counts = countsOf(lane, part);
      return { ...partCells[part]!, counts, total: sum(counts) };
    });
    const sums = addedUp(data.buckets, series);
    return { label: cell.label, series, sums, tallest: tallestOf(sums) };
  });
  return {
    data,
    split: choice.split,
    lanes: made.filter(({ label, tallest }) => label !== null || tallest > 0 || made.length === 1),
    isLaned: choice.lanes,
    fraction: Math.min(data.fraction, answer.fraction),
  };
}

type Cell = Pick<Series, 'key' | 'label' | 'tone'>;

const ALL: Cell = { key: '', label: null, tone: 'other' };

/** The places of an axis of values: one for each, one for all others, one for events without any. */
function cellsOf(values: readonly Scalar[], field: string): Cell[] {
  const cells = values.map(({ text }, place): Cell => ({
    key: `=${text}`,
    label: text,
    tone: field === 'level' && isLevel(text) ? { level: text } : { place },
  }));
  const missing: Tone = field === 'level' ? { level: NONE } : 'missing';
  return [
    ...cells,
    { key: 'other', label: null, tone: 'other' },
    { key: 'missing', label: null, tone: missing },
  ];
}

function addedUp(buckets: number, series: readonly Series[]): number[] {
  return Array.from({ length: buckets }, (_, at) =>
    series.reduce((all, { counts }) => all + (counts[at] ?? 0), 0),
  );
}

/** The bucket of the timeline that each place of the time axis falls into. */
function bucketsOf(data: TimelineData, edges: readonly string[]): (number | null)[] {
  return edges.slice(0, -1).map((edge) => {
    const offset = timeFromNanos(edge) - data.start;
    const bucket = data.bucket === 0n ? -1 : Number(offset / data.bucket);
    return offset >= 0n && bucket < data.buckets ? bucket : null;
  });
}

function isLevel(text: string): text is LevelName {
  return (LEVELS as readonly string[]).includes(text);
}

/** From the ground up: levels by severity, the worst first; other values by how frequent they are. */
function stackOrder(cells: readonly Cell[]): number[] {
  const rank = ({ tone }: Cell) =>
    typeof tone === 'object' && 'level' in tone ? LEVELS.indexOf(tone.level) : 0;
  return cells.map((_, at) => at).sort((a, b) => rank(cells[b]!) - rank(cells[a]!));
}
