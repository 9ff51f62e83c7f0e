/** Draws a timeline. Knows a canvas and numbers; what they mean is decided elsewhere. */
import { formatCompact } from '../../base/format';
import { LEVELS, type LevelName } from '../../base/levels';
import { asTime, type Time } from '../../base/time';
import { visibleLine } from '../../base/visible';
import type { Clock } from '../../base/zone';
import type { Marker } from '../../state/notes/markers.svelte';
import type { Lane, Strata, Tone } from '../../state/timeline/lanes';
import type { TimelineData } from '../../state/timeline/timelinedata';
import type { BucketSpan } from './brush';
import { countTicks, heightOf, powerTicks, timeTicks, type TimeScale } from './scale';

export const MARGIN_PX = { left: 52, right: 12, top: 8, bottom: 22 } as const;

/** Room that a label on the time axis wants, so that labels do not run into each other. */
const LABEL_PX = 96;
/** From this width on, bars are set apart by a gap. */
const GAP_FROM_PX = 3;

/** Lanes are set apart by this much, which their names stand in. */
const LANE_GAP_PX = 3;
/** How high the name of a lane is. */
const NAME_PX = 13;
/** The strip that shows where there is data at all. */
const STRIP_PX = 3;
/** Colours of values that are told apart; they begin again after the last. */
export const SERIES_TOKENS = 10;

export interface Palette {
  readonly levels: Readonly<Record<LevelName, string>>;
  readonly series: readonly string[];
  readonly other: string;
  readonly missing: string;
  readonly line: string;
  readonly strong: string;
  readonly text: string;
  readonly accent: string;
  readonly mark: string;
  readonly ground: string;
  readonly font: string;
}

export interface Picture {
  readonly strata: Strata;
  readonly isLogarithmic: boolean;
  /** All events of the stretch, where the bars are only some of them. */
  readonly coverage: TimelineData | null;
  readonly scale: TimeScale;
  readonly clock: Clock;
  readonly heightPx: number;
  readonly palette: Palette;
  readonly hovered: number | null;
  readonly cursor: number | null;
  readonly selection: BucketSpan | null;
  /** Times that are pointed at elsewhere: by the other charts, and by the list's selected event. */
  readonly pointed: Time | null;
  readonly selected: Time | null;
  readonly markers: readonly Marker[];
  /** What is left beside the sources that have a lane. */
  readonly restName: string;
}

/** Colours are read from the tokens through an element, because a canvas knows no variables. */
export function readPalette(probe: HTMLElement): Palette {
  const read = (token: string) => {
    probe.style.color = `var(${token})`;
    return getComputedStyle(probe).color;
  };
  probe.style.fontSize = 'var(--size-small)';
  const { fontSize, fontFamily } = getComputedStyle(probe);
  const levels = Object.fromEntries(LEVELS.map((level) => [level, read(`--level-${level}`)]));
  return {
    levels: levels as Record<LevelName, string>,
    series: Array.from({ length: SERIES_TOKENS }, (_, at) => read(`--series-${at}`)),
    other: read('--series-other'),
    missing: read('--series-missing'),
    line: read('--line'),
    strong: read('--line-strong'),
    text: read('--text-faint'),
    accent: read('--accent'),
    mark: read('--caution'),
    ground: read('--surface'),
    font: `${fontSize} ${fontFamily}`,
  };
}

function colourOf(palette: Palette, tone: Tone): string {
  if (tone === 'other') return palette.other;
  if (tone === 'missing') return palette.missing;
  return 'level' in tone ? palette.levels[tone.level] : palette.series[tone.place % SERIES_TOKENS]!;
}

export function paint(context: CanvasRenderingContext2D, picture: Picture): void {
  const { scale, strata } = picture;
  const widthPx = MARGIN_PX.left + scale.widthPx + MARGIN_PX.right;
  context.clearRect(0, 0, widthPx, picture.heightPx);
  context.font = picture.palette.font;
  const plotPx = picture.heightPx - MARGIN_PX.top - MARGIN_PX.bottom;
  const bars = barsPx(strata.data, scale);

  context.save();
  context.translate(MARGIN_PX.left, MARGIN_PX.top);
  paintTimes(context, picture, plotPx);
  paintStrip(context, picture, plotPx);
  const lanePx = plotPx / strata.lanes.length;
  strata.lanes.forEach((lane, at) => {
    const gap = strata.isLaned ? LANE_GAP_PX : 0;
    paintLane(context, picture, lane, bars, at * lanePx + gap, lanePx - gap);
  });
  context.beginPath();
  context.rect(0, 0, scale.widthPx, plotPx);
  context.clip();
  paintTouched(context, picture, bars, plotPx);
  paintMarks(context, picture, plotPx);
  paintSelection(context, picture, plotPx);
  context.restore();
}

/** One lane: its grid, its bars, and its name where there are several. */
function paintLane(
  context: CanvasRenderingContext2D,
  picture: Picture,
  lane: Lane,
  bars: readonly Bar[],
  top: number,
  height: number,
): void {
  const { isLogarithmic, strata } = picture;
  const ticks = strata.isLaned
    ? [0, lane.tallest]
    : isLogarithmic
      ? powerTicks(lane.tallest)
      : countTicks(lane.tallest, height > 90 ? 3 : 2);
  const most = Math.max(1, ticks.at(-1) ?? 1);
  context.save();
  context.translate(0, top);
  paintCounts(context, picture, ticks, most, height);
  context.beginPath();
  context.rect(0, 0, picture.scale.widthPx, height);
  context.clip();
  paintBars(context, picture, lane, bars, most, height);
  if (strata.isLaned) paintName(context, picture, lane.label);
  context.restore();
}

function paintName(
  context: CanvasRenderingContext2D,
  { palette, scale, restName }: Picture,
  name: string | null,
): void {
  context.textAlign = 'left';
  context.textBaseline = 'top';
  const most = scale.widthPx / 3;
  const text = fitting(context, name ?? restName, most);
  // Bars stand behind the name, so it brings its own ground.
  context.fillStyle = palette.ground;
  context.globalAlpha = 0.8;
  context.fillRect(0, 0, Math.min(most, context.measureText(text).width) + 8, NAME_PX);
  context.globalAlpha = 1;
  context.fillStyle = palette.text;
  context.fillText(text, 4, 1);
}

/** As much of a text's two ends as there is room for; a canvas would rather squeeze its letters. */
function fitting(context: CanvasRenderingContext2D, text: string, mostPx: number): string {
  const shown = visibleLine(text);
  if (context.measureText(shown).width <= mostPx) return shown;
  const letters = Array.from(shown);
  const cut = (kept: number) => {
    const [start, end] = [Math.ceil(kept / 2), letters.length - Math.floor(kept / 2)];
    return `${letters.slice(0, start).join('')}…${letters.slice(end).join('')}`;
  };
  let [fits, tooMany] = [0, letters.length];
  while (tooMany - fits > 1) {
    const half = Math.floor((fits + tooMany) / 2);
    if (context.measureText(cut(half)).width <= mostPx) fits = half;
    else tooMany = half;
  }
  return cut(fits);
}

/** Where there is any data in what is shown, whether it matches or not. */
function paintStrip(context: CanvasRenderingContext2D, picture: Picture, plotPx: number): void {
  const { coverage, strata, palette, scale } = picture;
  const data = coverage ?? strata.data;
  context.fillStyle = palette.strong;
  barsPx(data, scale).forEach(({ x, width }, bucket) => {
    if (data.sums[bucket] === 0) return;
    const left = Math.max(0, x);
    const right = Math.min(scale.widthPx, x + width + 1);
    if (right > left) context.fillRect(left, plotPx + 1, right - left, STRIP_PX);
  });
}

function paintCounts(
  context: CanvasRenderingContext2D,
  { scale, palette, isLogarithmic, strata }: Picture,
  ticks: number[],
  most: number,
  plotPx: number,
): void {
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  for (const count of ticks) {
    // Half a pixel, so that a line of one pixel falls on one row of the screen.
    const y = Math.round(plotPx - heightOf(count, most, isLogarithmic) * plotPx) + 0.5;
    context.fillStyle = palette.line;
    context.fillRect(0, y - 0.5, scale.widthPx, 1);
    // In a lane there is room for one number only.
    if (strata.isLaned && count === 0) continue;
    context.fillStyle = palette.text;
    context.fillText(formatCompact(count), -8, strata.isLaned ? y + 6 : y);
  }
}

function paintTimes(context: CanvasRenderingContext2D, picture: Picture, plotPx: number): void {
  const { scale, palette } = picture;
  const room = Math.max(2, Math.floor(scale.widthPx / LABEL_PX));
  const ticks = timeTicks(scale.range, room, picture.clock);
  context.textBaseline = 'top';
  context.textAlign = 'center';
  for (const tick of ticks) {
    const x = Math.round(scale.toPx(tick.time));
    context.fillStyle = palette.line;
    context.fillRect(x, plotPx, 1, 5);
    context.fillStyle = palette.text;
    const half = context.measureText(tick.label).width / 2;
    const inside = Math.min(
      Math.max(x, half - MARGIN_PX.left + 2),
      scale.widthPx - half + MARGIN_PX.right - 2,
    );
    context.fillText(tick.label, inside, plotPx + 8);
  }
}

/** The left edge and the width of a bucket, on whole pixels so that bars are equally sharp. */
export function barPx(
  data: TimelineData,
  scale: TimeScale,
  bucket: number,
): { x: number; width: number } {
  const edge = (at: number) => scale.toPx(asTime(data.start + data.bucket * BigInt(at)));
  const left = Math.round(edge(bucket));
  const right = Math.round(edge(bucket + 1));
  const gap = right - left >= GAP_FROM_PX ? 1 : 0;
  return { x: left, width: Math.max(1, right - left - gap) };
}

interface Bar {
  readonly x: number;
  readonly width: number;
}

function barsPx(data: TimelineData, scale: TimeScale): Bar[] {
  return Array.from({ length: data.buckets }, (_, bucket) => barPx(data, scale, bucket));
}

function paintBars(
  context: CanvasRenderingContext2D,
  { palette, isLogarithmic }: Picture,
  { series, sums }: Lane,
  bars: readonly Bar[],
  most: number,
  plotPx: number,
): void {
  const filled = new Array<number>(bars.length).fill(0);
  for (const { tone, counts } of series) {
    context.fillStyle = colourOf(palette, tone);
    counts.forEach((count, bucket) => {
      const bar = bars[bucket];
      if (count === 0 || bar === undefined) return;
      const sum = sums[bucket]!;
      // The whole bar follows the scale; its parts share it as they share the count.
      const whole = heightOf(sum, most, isLogarithmic) * plotPx;
      // A single error among thousands of lines must still be seen.
      const height = Math.max(1, whole * (count / Math.max(1, sum)));
      context.fillRect(bar.x, plotPx - filled[bucket]! - height, bar.width, height);
      filled[bucket]! += height;
    });
  }
}

function paintTouched(
  context: CanvasRenderingContext2D,
  { palette, hovered, cursor }: Picture,
  bars: readonly Bar[],
  plotPx: number,
): void {
  context.fillStyle = palette.accent;
  for (const [bucket, strength] of [
    [hovered, 0.1],
    [cursor, 0.22],
  ] as const) {
    const bar = bucket === null ? undefined : bars[bucket];
    if (bar === undefined) continue;
    context.globalAlpha = strength;
    context.fillRect(bar.x - 1, 0, bar.width + 2, plotPx);
  }
  context.globalAlpha = 1;
}

/** Stretches and moments that were marked, and what is pointed at elsewhere. */
function paintMarks(context: CanvasRenderingContext2D, picture: Picture, plotPx: number): void {
  const { palette, scale, markers, pointed, selected } = picture;
  context.fillStyle = palette.mark;
  for (const { from, to } of markers) {
    const x = Math.round(scale.toPx(from));
    if (to !== null) {
      context.globalAlpha = 0.14;
      context.fillRect(x, 0, scale.toPx(to) - x, plotPx);
      context.globalAlpha = 1;
    }
    context.fillRect(x, 0, 1, plotPx);
  }
  context.fillStyle = palette.accent;
  for (const [time, width] of [
    [pointed, 1],
    [selected, 1.5],
  ] as const) {
    if (time === null || time < scale.range.from || time >= scale.range.to) continue;
    context.fillRect(Math.round(scale.toPx(time)), 0, width, plotPx);
  }
}

function paintSelection(
  context: CanvasRenderingContext2D,
  { strata: { data }, scale, palette, selection }: Picture,
  plotPx: number,
): void {
  if (selection === null) return;
  const first = barPx(data, scale, selection.first).x;
  const end = barPx(data, scale, selection.last);
  const last = end.x + end.width;
  context.fillStyle = palette.accent;
  context.globalAlpha = 0.16;
  context.fillRect(first, 0, last - first, plotPx);
  context.globalAlpha = 1;
  context.fillRect(first, 0, 1.5, plotPx);
  context.fillRect(last - 1.5, 0, 1.5, plotPx);
}
