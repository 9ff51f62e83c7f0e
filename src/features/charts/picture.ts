/** The input of a painted chart, and how all kinds of charts label values and colour bars. */
import type { Clock } from '../../base/zone';
import type { ChartData, Series } from '../../state/charts/chartdata';
import { formatTick, type Unit } from '../../state/charts/units';
import type { BarSeries, Size } from '../plot/axes';
import { colourIn, type Palette } from '../plot/palette';
import type { Pen } from '../plot/pen';
import type { ValueScale } from '../plot/valuescale';

export interface Picture extends Size {
  readonly data: ChartData;
  readonly palette: Palette;
  readonly hidden: readonly string[];
  /** Formats the times on the axis. */
  readonly clock: Clock;
}

/** Percentiles of the same value differ by their dashes; over a heatmap any colour can be under them. */
export const LINE_DASHES: readonly (readonly number[])[] = [[], [6, 4], [2, 3]];

export function dashOf({ dash = 0 }: Pick<Series, 'dash'>): readonly number[] {
  return LINE_DASHES[dash] ?? [];
}

const FEWEST_LETTERS = 4;

/** A text that is cut where it would be wider than its place. */
export function fitting(pen: Pen, text: string, roomPx: number): string {
  const letterPx = Math.max(1, pen.textWidth('abcdefghij') / 10);
  const letters = Math.max(FEWEST_LETTERS, Math.floor(roomPx / letterPx));
  return text.length > letters ? `${text.slice(0, letters - 1)}…` : text;
}

/** Labels of a value axis, all with the precision that its largest tick needs. */
export function tickLabels({ ticks }: ValueScale, unit: Unit) {
  return { format: (tick: number) => formatTick(tick, unit, ticks.at(-1) ?? tick) };
}

export function barsOf(series: readonly Series[], palette: Palette): BarSeries[] {
  return series.map(({ colour, values }) => ({ colour: colourIn(palette, colour), values }));
}
