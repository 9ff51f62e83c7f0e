/** The bars of the timeline: lanes, each with the series that are stacked in it. */
import { LEVELS, type LevelName } from '../../base/levels';
import { timeFromNanos } from '../../base/time';
import type { Aggregate, By, Scalar } from '../../ipc/generated';
import type { SeriesColour } from '../charts/chartdata';
import { coloursOf } from '../charts/valuecolours';
import type { ShownPattern } from '../patterns/patternlist';
import type { TimelineData } from './timelinedata';
import type { PinnedPattern, TimelineChoice } from '../view/viewstate';

/** Values with a series of their own; the others share one. */
export const MOST_SERIES = 8;
/** Lanes scroll, so this is what an answer may hold; there are always some. */
const MOST_LANES = 200;
const LEAST_LANES = 8;
/** Cells of an answer: half of what the engine gives. */
const MOST_CELLS = 1 << 19;
/** The cells of an axis of values for all other values and for missing ones. */
const REST = 2;

export interface LaneSeries {
  readonly key: string;
  /** Null for all other values, and for events without a value. */
  readonly label: string | null;
  readonly colour: SeriesColour;
  readonly counts: readonly number[];
  readonly total: number;
}

export interface Lane {
  /** Null for a single lane, and for the lane of all other sources. */
  readonly label: string | null;
  /** The first one is at the bottom of the stack. */
  readonly series: readonly LaneSeries[];
  readonly sums: readonly number[];
  readonly tallest: number;
  /** The events of a pinned pattern, which are counted among those of the other lanes too. */
  readonly isPinned?: boolean;
  /** The id of that pattern. */
  readonly pattern?: string;
}

export interface TimelineLanes {
  /** The timeline that is split; the lanes have its buckets. */
  readonly data: TimelineData;
  readonly split: string;
  readonly lanes: readonly Lane[];
  readonly isLaned: boolean;
  readonly fraction: number;
}

const NONE: LevelName = 'none';
const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0);
const tallestOf = (sums: readonly number[]) => sums.reduce((most, each) => Math.max(most, each), 0);

/** One lane split by level, from the timeline's own counts; one for each place where there are several. */
export function levelLanes(data: TimelineData, ownName = ''): TimelineLanes {
  const { places, fraction } = data;
  const lanes =
    places.length === 0
      ? [{ label: null, series: byLevel(data.series), sums: data.sums, tallest: data.tallest }]
      : places.map(({ remote, series, sums }): Lane => ({
          label: remote ?? ownName,
          series: byLevel(series),
          sums,
          tallest: tallestOf(sums),
        }));
  return { data, split: 'level', lanes, isLaned: places.length > 0, fraction };
}

/** The most severe levels are at the bottom, where heights can be compared. */
function byLevel(series: TimelineData['series']): LaneSeries[] {
  return series.toReversed().map(({ level, counts }) => ({
    key: level,
    label: level,
    colour: level,
    counts,
    total: sum(counts),
  }));
}

/** Whether a choice needs no counts beyond those of the timeline. */
export function isPlain({ split, lanes }: TimelineChoice): boolean {
  return split === 'level' && !lanes;
}

function lanesThatFit({ buckets }: TimelineData): number {
  const fitting = Math.floor(MOST_CELLS / Math.max(1, buckets * (MOST_SERIES + REST))) - REST;
  return Math.min(MOST_LANES, Math.max(LEAST_LANES, fitting));
}

/** The axes to count for a choice, in the buckets of a timeline. */
export function axesOf(data: TimelineData, { split, lanes }: TimelineChoice): By[] {
  const time: By = {
    kind: 'time',
    interval: { kind: 'fixed', ns: data.bucket.toString() as never },
    zone: null,
  };
  const terms = (field: string, top: number): By => ({ kind: 'terms', field, top, order: 'most' });
  const parts = terms(split, MOST_SERIES);
  return lanes ? [time, terms('source', lanesThatFit(data)), parts] : [time, parts];
}

/** The counts of an answer as lanes and series. Other values and missing values are series too. */
export function lanesOf(
  data: TimelineData,
  choice: TimelineChoice,
  answer: Aggregate,
): TimelineLanes | null {
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
    const series = order.map((part): LaneSeries => {
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

type AxisCell = Pick<LaneSeries, 'key' | 'label' | 'colour'>;

const ALL: AxisCell = { key: '', label: null, colour: 'other' };

/** The cells of a terms axis: one for each value, one for all others, one for missing values. */
function cellsOf(values: readonly Scalar[], field: string): AxisCell[] {
  const texts = values.map(({ text }) => text);
  const colours = coloursOf(field, texts);
  const cells = texts.map((text, at): AxisCell => ({
    key: `=${text}`,
    label: text,
    colour: colours[at]!,
  }));
  const missing = field === 'level' ? NONE : 'missing';
  return [
    ...cells,
    { key: 'other', label: null, colour: 'other' },
    { key: 'missing', label: null, colour: missing },
  ];
}

function addedUp(buckets: number, series: readonly LaneSeries[]): number[] {
  return Array.from({ length: buckets }, (_, at) =>
    series.reduce((all, { counts }) => all + (counts[at] ?? 0), 0),
  );
}

/** The timeline's bucket for each cell of the time axis. */
function bucketsOf(data: TimelineData, edges: readonly string[]): (number | null)[] {
  return edges.slice(0, -1).map((edge) => {
    const offset = timeFromNanos(edge) - data.start;
    const bucket = data.bucket === 0n ? -1 : Number(offset / data.bucket);
    return offset >= 0n && bucket < data.buckets ? bucket : null;
  });
}

/** From the bottom up: levels by severity, the most severe first; other values by frequency. */
function stackOrder(cells: readonly AxisCell[]): number[] {
  const rank = ({ colour }: AxisCell) =>
    Math.max(
      0,
      LEVELS.findIndex((level) => level === colour),
    );
  return cells.map((_, at) => at).sort((a, b) => rank(cells[b]!) - rank(cells[a]!));
}

const BY_LEVEL: TimelineChoice = {
  split: 'level',
  scale: 'linear',
  lanes: false,
  widthNs: null,
  folded: false,
  pinned: [],
};

/** The axes of a pinned pattern's lane: its levels, in the buckets of a timeline. */
export function pinnedAxes(data: TimelineData): By[] {
  return axesOf(data, BY_LEVEL);
}

/** The lane of a pinned pattern. */
export function pinnedLane(
  data: TimelineData,
  { id, text }: PinnedPattern,
  answer: Aggregate,
): Lane | null {
  const lane = lanesOf(data, BY_LEVEL, answer)?.lanes[0];
  return lane === undefined ? null : { ...lane, label: text, isPinned: true, pattern: id };
}

/** The lanes with the names of their patterns. */
export function withPatternNames({ data, lanes }: PinnedLanes, shown: ShownPattern): PinnedLanes {
  const named = ({ pattern = '', label, ...lane }: Lane): Lane => ({
    ...lane,
    pattern,
    label: shown(pattern, label ?? ''),
  });
  return { data, lanes: lanes.map(named) };
}

/** The lanes of pinned patterns, and the timeline in whose buckets they are. */
export interface PinnedLanes {
  readonly data: TimelineData;
  readonly lanes: readonly Lane[];
}

/** The lanes of pinned patterns below the others, which then have names too. */
export function withPinned(
  shown: TimelineLanes,
  pinned: PinnedLanes | null,
  matching: string,
): TimelineLanes {
  if (pinned === null || pinned.lanes.length === 0) return shown;
  const { data } = shown;
  const fits =
    data.start === pinned.data.start &&
    data.bucket === pinned.data.bucket &&
    data.buckets === pinned.data.buckets;
  // Until their counts of other times arrive, the lanes stay where they are, and are empty.
  const emptied = (lane: Lane): Lane => ({
    ...lane,
    series: [],
    sums: new Array<number>(data.buckets).fill(0),
    tallest: 0,
  });
  const others = shown.isLaned
    ? shown.lanes
    : shown.lanes.map((lane) => ({ ...lane, label: lane.label ?? matching }));
  const lanes = [...others, ...(fits ? pinned.lanes : pinned.lanes.map(emptied))];
  return { ...shown, lanes, isLaned: true };
}
