/** Draws the timeline with a pen: lanes of stacked bars, markers, and what is hovered or selected. */
import { formatCompact } from '../../base/format';
import type { Time } from '../../base/time';
import type { Clock } from '../../base/zone';
import type { Marker } from '../../state/notes/markers.svelte';
import type { Lane, TimelineLanes } from '../../state/timeline/lanes';
import { bucketEdges, type TimelineData } from '../../state/timeline/timelinedata';
import {
  MARGIN_PX,
  paintStackedBars,
  paintTimeAxis,
  paintValueAxis,
  STRIP_MARGIN_PX,
  type Size,
} from '../plot/axes';
import type { BucketSpan } from '../plot/brush';
import { colourIn, type Palette } from '../plot/palette';
import type { Pen } from '../plot/pen';
import { shortenedTo } from '../plot/shortened';
import { Slots } from '../plot/slots';
import type { TimeScale } from '../plot/timescale';
import { countScale, countTicks, powerTicks, type ValueScale } from '../plot/valuescale';

/** Height between lanes. */
const LANE_GAP_PX = 3;
/** The lowest lane, with its gap. */
const LEAST_LANE_PX = 26;
/** Height of a lane's name. */
const NAME_PX = 13;
/** Height of the line that shows which times have any events. */
const COVERAGE_PX = 3;
/** Between the two lines of a break. */
const BREAK_PX = 4;
/** From this height on, a lane has room for a third grid line. */
const TALL_LANE_PX = 90;

export interface TimelinePicture {
  readonly lanes: TimelineLanes;
  readonly isLogarithmic: boolean;
  /** Too low for axes: only the bars are drawn. */
  readonly isStrip: boolean;
  /** All events of the range, if the bars show only some of them. */
  readonly coverage: TimelineData | null;
  readonly scale: TimeScale;
  readonly clock: Clock;
  readonly heightPx: number;
  /** How far the lanes are scrolled, if not all of them fit. */
  readonly scrollPx: number;
  readonly palette: Palette;
  readonly hovered: number | null;
  readonly cursor: number | null;
  readonly selection: BucketSpan | null;
  /** The time under the pointer in another chart or in the list. */
  readonly pointed: Time | null;
  /** The time of the event that is selected in the list. */
  readonly selected: Time | null;
  readonly markers: readonly Marker[];
  /** The name of the lane of all other sources. */
  readonly restName: string;
}

export function timelineSlots(data: TimelineData, scale: TimeScale): Slots {
  return new Slots(
    bucketEdges(data).map((edge) => scale.toPx(edge)),
    scale.widthPx,
  );
}

export function marginOf(isStrip: boolean): typeof MARGIN_PX | typeof STRIP_MARGIN_PX {
  return isStrip ? STRIP_MARGIN_PX : MARGIN_PX;
}

/** Lanes share the height of the plot, but are never too low to read. */
export function laneHeight(
  { lanes, isLaned }: TimelineLanes,
  heightPx: number,
  isStrip: boolean,
): number {
  const margin = marginOf(isStrip);
  const evenPx = (heightPx - margin.top - margin.bottom) / Math.max(1, lanes.length);
  return isLaned && !isStrip ? Math.max(LEAST_LANE_PX, evenPx) : evenPx;
}

export function paintTimeline(pen: Pen, picture: TimelinePicture): void {
  const { scale, lanes, palette, isStrip } = picture;
  const margin = marginOf(isStrip);
  const plot = {
    widthPx: scale.widthPx,
    heightPx: picture.heightPx - margin.top - margin.bottom,
  };
  const slots = timelineSlots(lanes.data, scale);
  pen.within(margin.left, margin.top, null, () => {
    if (!isStrip) paintTimeAxis(pen, scale, plot.heightPx, picture.clock, palette);
    paintCoverage(pen, picture, plot);
    const lanePx = laneHeight(lanes, picture.heightPx, isStrip);
    const gapPx = lanes.isLaned ? LANE_GAP_PX : 0;
    const size = { widthPx: plot.widthPx, heightPx: lanePx - gapPx };
    const paintLanes = () => {
      lanes.lanes.forEach((lane, at) => {
        const y = at * lanePx + gapPx - picture.scrollPx;
        if (y + lanePx < 0 || y > plot.heightPx) return;
        pen.within(0, y, null, () => paintLane(pen, picture, lane, slots, size));
      });
    };
    if (lanePx * lanes.lanes.length <= plot.heightPx + 1) paintLanes();
    // Lanes that do not fit are cut where the axis begins, with the labels to their left.
    else {
      const [left, widthPx] = [-margin.left, plot.widthPx + margin.left + margin.right];
      pen.within(left, 0, { width: widthPx, height: plot.heightPx }, () =>
        pen.within(-left, 0, null, paintLanes),
      );
    }
    pen.within(0, 0, { width: plot.widthPx, height: plot.heightPx }, () => {
      paintBreaks(pen, picture, plot.heightPx);
      paintHovered(pen, picture, slots, plot.heightPx);
      paintMarkers(pen, picture, plot.heightPx);
      paintSelection(pen, picture, slots, plot.heightPx);
    });
  });
}

/** The heights of the counts of a lane. */
export function laneScale(
  { tallest }: Lane,
  isLaned: boolean,
  isLogarithmic: boolean,
  heightPx: number,
): ValueScale {
  const linearTicks = countTicks(tallest, heightPx > TALL_LANE_PX ? 3 : 2);
  const ticks = isLaned ? [0, tallest] : isLogarithmic ? powerTicks(tallest) : linearTicks;
  return countScale(tallest, isLogarithmic ? 'logarithmic' : 'linear', heightPx, ticks);
}

/** One lane: its grid, its bars, and its name if there are several lanes. */
function paintLane(
  pen: Pen,
  { isLogarithmic, isStrip, lanes: { isLaned }, palette, restName }: TimelinePicture,
  lane: Lane,
  slots: Slots,
  size: Size,
): void {
  const { widthPx, heightPx } = size;
  const { series, label } = lane;
  const scale = laneScale(lane, isLaned, isLogarithmic, heightPx);
  // A lane is low, so only its largest count has a label, and that hangs below its line.
  const format = (count: number) => (isLaned && count === 0 ? '' : formatCompact(count));
  if (!isStrip) paintValueAxis(pen, scale, size, { format, shiftPx: isLaned ? 6 : 0 }, palette);
  pen.within(0, 0, { width: widthPx, height: heightPx }, () => {
    const bars = series.map(({ colour, counts }) => ({
      colour: colourIn(palette, colour),
      values: counts,
    }));
    paintStackedBars(pen, bars, slots, scale, heightPx);
    if (isLaned) paintName(pen, label ?? restName, widthPx / 3, palette);
  });
}

/** The name of a lane, on a translucent background because bars can be under it. */
function paintName(pen: Pen, name: string, mostPx: number, palette: Palette): void {
  const text = shortenedTo(pen, name, mostPx);
  const widthPx = Math.min(mostPx, pen.textWidth(text)) + 8;
  pen.rect(0, 0, widthPx, NAME_PX, palette.ground, 0.8);
  pen.text(4, 1, text, { colour: palette.text, baseline: 'top' });
}

/** A line under the plot wherever the range has events, matching or not. */
function paintCoverage(
  pen: Pen,
  { coverage, lanes, palette, scale }: TimelinePicture,
  { heightPx }: Size,
): void {
  const data = coverage ?? lanes.data;
  const slots = timelineSlots(data, scale);
  for (let bucket = 0; bucket < data.buckets; bucket += 1) {
    if (data.sums[bucket] === 0) continue;
    const { x, width } = slots.slotPx(bucket);
    if (width > 0) pen.rect(x, heightPx + 1, width, COVERAGE_PX, palette.lineStrong);
  }
}

/** A break where time is folded: two lines across the plot, with nothing between them. */
function paintBreaks(pen: Pen, { palette, scale }: TimelinePicture, heightPx: number): void {
  for (const { from, to } of scale.folds) {
    const [left, right] = [scale.toPx(from), scale.toPx(to)];
    const middle = Math.round((left + right) / 2);
    pen.rect(left, 0, right - left, heightPx, palette.line, 0.35);
    pen.rect(middle - BREAK_PX / 2, 0, BREAK_PX, heightPx, palette.ground);
    for (const x of [middle - BREAK_PX / 2, middle + BREAK_PX / 2]) {
      const points = [
        { x, y: 0 },
        { x, y: heightPx },
      ];
      pen.line(points, { colour: palette.lineStrong, dash: [3, 3] });
    }
  }
}

function paintHovered(
  pen: Pen,
  { palette, hovered, cursor }: TimelinePicture,
  slots: Slots,
  heightPx: number,
): void {
  for (const [bucket, alpha] of [
    [hovered, 0.1],
    [cursor, 0.22],
  ] as const) {
    if (bucket === null || bucket >= slots.count) continue;
    const { x, width } = slots.barPx(bucket);
    if (width > 0) pen.rect(x - 1, 0, width + 2, heightPx, palette.accent, alpha);
  }
}

/** Markers that people set, and the times that are pointed at or selected elsewhere. */
function paintMarkers(pen: Pen, picture: TimelinePicture, heightPx: number): void {
  const { palette, scale, markers, pointed, selected } = picture;
  for (const { from, to } of markers) {
    const x = Math.round(scale.toPx(from));
    if (to !== null) pen.rect(x, 0, scale.toPx(to) - x, heightPx, palette.marker, 0.14);
    pen.rect(x, 0, 1, heightPx, palette.marker);
  }
  for (const [time, widthPx] of [
    [pointed, 1],
    [selected, 1.5],
  ] as const) {
    if (time === null || time < scale.range.from || time >= scale.range.to) continue;
    pen.rect(Math.round(scale.toPx(time)), 0, widthPx, heightPx, palette.accent);
  }
}

function paintSelection(
  pen: Pen,
  { palette, selection }: TimelinePicture,
  slots: Slots,
  heightPx: number,
): void {
  if (selection === null) return;
  const left = slots.barPx(selection.first).x;
  const end = slots.barPx(selection.last);
  const right = end.x + end.width;
  pen.rect(left, 0, right - left, heightPx, palette.accent, 0.16);
  pen.rect(left, 0, 1.5, heightPx, palette.accent);
  pen.rect(right - 1.5, 0, 1.5, heightPx, palette.accent);
}
