/** Draws a timeline. Knows a canvas and numbers; what they mean is decided elsewhere. */
import { formatCompact } from '../../base/format';
import { LEVELS, type LevelName } from '../../base/levels';
import { asTime } from '../../base/time';
import type { TimelineData } from '../../state/timelinedata';
import type { BucketSpan } from './brush';
import { countTicks, timeTicks, type TimeScale } from './scale';

export const MARGIN_PX = { left: 52, right: 12, top: 8, bottom: 22 } as const;

/** Room that a label on the time axis wants, so that labels do not run into each other. */
const LABEL_PX = 96;
/** From this width on, bars are set apart by a gap. */
const GAP_FROM_PX = 3;

export interface Palette {
  readonly levels: Readonly<Record<LevelName, string>>;
  readonly line: string;
  readonly text: string;
  readonly accent: string;
  readonly font: string;
}

export interface Picture {
  readonly data: TimelineData;
  readonly scale: TimeScale;
  readonly heightPx: number;
  readonly palette: Palette;
  readonly hovered: number | null;
  readonly cursor: number | null;
  readonly selection: BucketSpan | null;
}

/** Colours are read from the tokens through an element, because a canvas knows no variables. */
export function readPalette(probe: HTMLElement): Palette {
  const read = (token: string) => {
    probe.style.color = `var(${token})`;
    return getComputedStyle(probe).color;
  };
  const levels = Object.fromEntries(LEVELS.map((level) => [level, read(`--level-${level}`)]));
  return {
    levels: levels as Record<LevelName, string>,
    line: read('--line'),
    text: read('--text-faint'),
    accent: read('--accent'),
    font: `11px ${getComputedStyle(probe).fontFamily}`,
  };
}

export function paint(context: CanvasRenderingContext2D, picture: Picture): void {
  const widthPx = MARGIN_PX.left + picture.scale.widthPx + MARGIN_PX.right;
  context.clearRect(0, 0, widthPx, picture.heightPx);
  context.font = picture.palette.font;
  const plotPx = picture.heightPx - MARGIN_PX.top - MARGIN_PX.bottom;
  const ticks = countTicks(picture.data.tallest, plotPx > 90 ? 3 : 2);
  const most = Math.max(1, ticks.at(-1) ?? 1);

  context.save();
  context.translate(MARGIN_PX.left, MARGIN_PX.top);
  paintCounts(context, picture, ticks, most, plotPx);
  paintTimes(context, picture, plotPx);
  context.beginPath();
  context.rect(0, 0, picture.scale.widthPx, plotPx);
  context.clip();
  paintBars(context, picture, most, plotPx);
  paintSelection(context, picture, plotPx);
  context.restore();
}

function paintCounts(
  context: CanvasRenderingContext2D,
  { scale, palette }: Picture,
  ticks: number[],
  most: number,
  plotPx: number,
): void {
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  for (const count of ticks) {
    // Half a pixel, so that a line of one pixel falls on one row of the screen.
    const y = Math.round(plotPx - (count / most) * plotPx) + 0.5;
    context.fillStyle = palette.line;
    context.fillRect(0, y - 0.5, scale.widthPx, 1);
    context.fillStyle = palette.text;
    context.fillText(formatCompact(count), -8, y);
  }
}

function paintTimes(context: CanvasRenderingContext2D, picture: Picture, plotPx: number): void {
  const { scale, palette } = picture;
  const ticks = timeTicks(scale.range, Math.max(2, Math.floor(scale.widthPx / LABEL_PX)));
  context.textBaseline = 'top';
  context.textAlign = 'center';
  for (const tick of ticks) {
    const x = Math.round(scale.toPx(tick.time));
    context.fillStyle = palette.line;
    context.fillRect(x, plotPx, 1, 4);
    context.fillStyle = palette.text;
    const half = context.measureText(tick.label).width / 2;
    const inside = Math.min(
      Math.max(x, half - MARGIN_PX.left + 2),
      scale.widthPx - half + MARGIN_PX.right - 2,
    );
    context.fillText(tick.label, inside, plotPx + 7);
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

function paintBars(
  context: CanvasRenderingContext2D,
  { data, scale, palette, hovered, cursor }: Picture,
  most: number,
  plotPx: number,
): void {
  const filled = new Array<number>(data.buckets).fill(0);
  // The worst levels stand on the ground line, where their heights can be compared.
  for (const { level, counts } of data.series.toReversed()) {
    context.fillStyle = palette.levels[level];
    counts.forEach((count, bucket) => {
      if (count === 0) return;
      const { x, width } = barPx(data, scale, bucket);
      // A single error among thousands of lines must still be seen.
      const height = Math.max(1, (count / most) * plotPx);
      const top = plotPx - filled[bucket]! - height;
      context.fillRect(x, top, width, height);
      filled[bucket]! += height;
    });
  }
  for (const [bucket, strength] of [
    [hovered, 0.1],
    [cursor, 0.22],
  ] as const) {
    if (bucket === null || bucket >= data.buckets) continue;
    const { x, width } = barPx(data, scale, bucket);
    context.globalAlpha = strength;
    context.fillStyle = palette.accent;
    context.fillRect(x - 1, 0, width + 2, plotPx);
    context.globalAlpha = 1;
  }
}

function paintSelection(
  context: CanvasRenderingContext2D,
  { data, scale, palette, selection }: Picture,
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
