/** Axes, grid lines and stacked bars, drawn the same way in charts and timeline. */
import type { Clock } from '../../base/zone';
import type { Palette } from './palette';
import type { Pen } from './pen';
import type { Slots } from './slots';
import type { TimeScale } from './timescale';
import type { ValueScale } from './valuescale';

/** All plots share the left and right margin, so that times line up between timeline and charts. */
export const MARGIN_PX = { left: 52, right: 12, top: 8, bottom: 22 } as const;
/** A plot that is too low for axes has its whole width. */
export const STRIP_MARGIN_PX = { left: 0, right: 0, top: 1, bottom: 4 } as const;

/** Width reserved for a label on the time axis, so that labels do not overlap. */
const TIME_LABEL_PX = 96;
/** Value labels closer than this are left out; their grid lines stay. */
const VALUE_LABEL_PX = 13;
const TICK_PX = 5;

export interface Size {
  readonly widthPx: number;
  readonly heightPx: number;
}

/** Ticks and labels below the plot. */
export function paintTimeAxis(
  pen: Pen,
  scale: TimeScale,
  heightPx: number,
  clock: Clock,
  palette: Palette,
): void {
  for (const { time, label } of scale.ticks(TIME_LABEL_PX, clock))
    paintTickBelow(pen, scale.toPx(time), label, { widthPx: scale.widthPx, heightPx }, palette);
}

/** The middle of a label below the axis, moved inwards if the label would leave the picture. */
export function labelMiddlePx(pen: Pen, px: number, label: string, widthPx: number): number {
  const half = pen.textWidth(label) / 2;
  const most = widthPx - half + MARGIN_PX.right - 2;
  return Math.min(Math.max(Math.round(px), half - MARGIN_PX.left + 2), most);
}

/** One tick with its label, which stays inside the picture. */
export function paintTickBelow(
  pen: Pen,
  px: number,
  label: string,
  { widthPx, heightPx }: Size,
  palette: Palette,
): void {
  pen.rect(Math.round(px), heightPx, 1, TICK_PX, palette.line);
  const middle = labelMiddlePx(pen, px, label, widthPx);
  pen.text(middle, heightPx + 8, label, { colour: palette.text, align: 'center', baseline: 'top' });
}

interface ValueLabels {
  format(value: number): string;
  /** Moves labels below their line; 0 centres them on it. */
  readonly shiftPx?: number;
}

/** Horizontal grid lines with labels to the left of the plot. */
export function paintValueAxis(
  pen: Pen,
  scale: ValueScale,
  { widthPx, heightPx }: Size,
  { format, shiftPx = 0 }: ValueLabels,
  palette: Palette,
): void {
  let lastPx = Infinity;
  for (const tick of scale.ticks) {
    const y = Math.round(heightPx - scale.toPx(tick));
    if (y < -1 || y > heightPx + 1) continue;
    pen.rect(0, y, widthPx, 1, palette.line);
    const label = format(tick);
    if (label === '' || lastPx - y < VALUE_LABEL_PX) continue;
    pen.text(-8, y + 0.5 + shiftPx, label, { colour: palette.text, align: 'right' });
    lastPx = y;
  }
}

export interface BarSeries {
  readonly colour: string;
  readonly values: readonly (number | null)[];
}

/**
 * Stacks series from the bottom up. The height of a whole bar follows the scale; each series takes
 * its share of the sum, so that shares are right on a logarithmic scale too.
 */
export function paintStackedBars(
  pen: Pen,
  series: readonly BarSeries[],
  slots: Slots,
  scale: ValueScale,
  heightPx: number,
): void {
  const sums = new Array<number>(slots.count).fill(0);
  for (const { values } of series)
    for (let at = 0; at < slots.count; at += 1) sums[at]! += Math.max(0, values[at] ?? 0);
  const filledPx = new Array<number>(slots.count).fill(0);
  for (const { colour, values } of series) {
    for (let at = 0; at < slots.count; at += 1) {
      const value = values[at] ?? 0;
      if (value <= 0) continue;
      const { x, width } = slots.barPx(at);
      if (width === 0) continue;
      // A single error among thousands of events stays visible.
      const barPx = Math.max(1, scale.toPx(sums[at]!) * (value / sums[at]!));
      pen.rect(x, heightPx - filledPx[at]! - barPx, width, barPx, colour);
      filledPx[at]! += barPx;
    }
  }
}
