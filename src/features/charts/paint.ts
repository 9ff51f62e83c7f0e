/** Draws charts. Knows a pen and figures; what they mean is decided elsewhere. */
import { texts } from '../../base/texts';
import type { Clock } from '../../base/zone';
import type { BinsData, ChartData, HeatData, TermsData } from '../../state/charts/chartdata';
import { formatTick, formatValue, type Unit } from '../../state/charts/units';
import { timeTicks, TimeScale } from '../timeline/scale';
import {
  heatScale,
  MARGIN_PX,
  numberScale,
  plotSize,
  shownSeries,
  slotsOf,
  timeSlots,
  type Size,
} from './layout';
import { paintTimeData } from './paintseries';
import { colourIn, heatShades, type Palette } from './palette';
import type { Pen, Point } from './pen';
import { valueScale, type BinScale, type ValueScale } from './valuescale';

export interface Picture extends Size {
  readonly data: ChartData;
  readonly palette: Palette;
  readonly hidden: readonly string[];
  /** Whose times are written on the axis. */
  readonly clock: Clock;
}

/** Room that a label on the axis of time wants. */
const LABEL_PX = 96;
/** From this width on, bars are set apart by a gap. */
export const GAP_FROM_PX = 4;
const HEAT_SHADES = 64;
/** How percentiles are told apart over a heatmap, where any colour may lie under them. */
export const LINE_DASHES: readonly (readonly number[])[] = [[], [6, 4], [2, 3]];
export const TERM_ROW_PX = 24;

export function paintChart(pen: Pen, picture: Picture): void {
  const { data } = picture;
  if (data.shape === 'terms') return paintTerms(pen, picture, data);
  if (data.shape === 'rows') return;
  const plot = plotSize(picture, data.shape);
  pen.within(MARGIN_PX.left, MARGIN_PX.top, null, () => {
    if (data.shape === 'time') paintTimeData(pen, picture, data, plot);
    else if (data.shape === 'heat') paintHeat(pen, picture, data, plot);
    else paintBins(pen, picture, data, plot);
    if (data.shape !== 'bins')
      paintTimeAxis(pen, new TimeScale(data.domain, plot.widthPx), plot, picture);
  });
}

/** Grid lines and labels of an axis of figures, at the left. */
export function paintValueAxis(
  pen: Pen,
  scale: ValueScale,
  { widthPx, heightPx }: Size,
  unit: Unit,
  palette: Palette,
): void {
  let lastPx = Infinity;
  for (const tick of scale.ticks) {
    const y = Math.round(heightPx - scale.toPx(tick));
    if (y < -1 || y > heightPx + 1) continue;
    pen.rect(0, y, widthPx, 1, palette.line);
    // Labels that would run into each other are left out; their lines stay.
    if (lastPx - y < 13) continue;
    const label = formatTick(tick, unit, scale.ticks.at(-1) ?? tick);
    pen.text(-8, y, label, { colour: palette.text, align: 'right' });
    lastPx = y;
  }
}

function paintTimeAxis(
  pen: Pen,
  scale: TimeScale,
  { heightPx }: Size,
  { palette, clock }: Picture,
): void {
  const most = Math.max(2, Math.floor(scale.widthPx / LABEL_PX));
  const ticks = timeTicks(scale.range, most, clock);
  for (const tick of ticks)
    paintBelow(pen, scale.toPx(tick.time), tick.label, scale.widthPx, heightPx, palette);
}

function paintBelow(
  pen: Pen,
  px: number,
  label: string,
  widthPx: number,
  heightPx: number,
  palette: Palette,
): void {
  const x = Math.round(px);
  pen.rect(x, heightPx, 1, 4, palette.line);
  const half = pen.textWidth(label) / 2;
  const most = widthPx - half + MARGIN_PX.right - 2;
  const inside = Math.min(Math.max(x, half - MARGIN_PX.left + 2), most);
  pen.text(inside, heightPx + 7, label, { colour: palette.text, align: 'center', baseline: 'top' });
}

function paintHeat(pen: Pen, { palette, hidden }: Picture, data: HeatData, plot: Size): void {
  const slots = timeSlots(data, plot.widthPx);
  const scale = heatScale(data, plot.heightPx);
  const bins = Math.max(1, data.bins.length - 1);
  const most = data.counts.reduce((greatest, count) => Math.max(greatest, count), 0);
  const shades = heatShades(palette, HEAT_SHADES);
  paintValueAxis(pen, scale, plot, data.unit, palette);
  pen.within(0, 0, { width: plot.widthPx, height: plot.heightPx }, () => {
    data.counts.forEach((count, cell) => {
      if (count === 0) return;
      const [slot, bin] = [Math.floor(cell / bins), cell % bins];
      const { x, width } = slots.slotPx(slot);
      const [top, bottom] = [bin + 1, bin].map((edge) =>
        Math.round(plot.heightPx - scale.edgesPx[edge]!),
      );
      // A single slow answer beside thousands of quick ones must still be seen.
      const strength = most <= 1 ? 1 : Math.log(count) / Math.log(most);
      const shade = shades[Math.round(strength * (HEAT_SHADES - 1))]!;
      pen.rect(x, top!, width, Math.max(1, bottom! - top!), shade);
    });
    for (const line of shownSeries(data.lines, hidden)) {
      const points = line.values.flatMap((value, at) =>
        value === null ? [] : [{ x: slots.middlePx(at), y: plot.heightPx - scale.toPx(value) }],
      );
      const dash = LINE_DASHES[typeof line.colour === 'number' ? line.colour % 3 : 0]!;
      // A rim in the colour of the ground keeps the line apart from any shade under it.
      const drawn = points.length === 1 ? asDash(points[0]!, slots.bandPx) : points;
      pen.line(drawn, { colour: palette.ground, widthPx: 4, alpha: 0.8 });
      pen.line(drawn, { colour: palette.strong, widthPx: 1.6, dash });
    }
  });
}

/** A single figure is as wide as its column, because a line needs two ends. */
function asDash({ x, y }: Point, widthPx: number): Point[] {
  return [x - widthPx / 2, x + widthPx / 2].map((end) => ({ x: end, y }));
}

function paintBins(pen: Pen, { palette, hidden }: Picture, data: BinsData, plot: Size): void {
  const slots = slotsOf(data, plot.widthPx);
  const series = shownSeries(data.series, hidden);
  const sums = Array.from({ length: slots.count }, (_, at) =>
    series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0),
  );
  const heights = valueScale(sums, 'linear', plot.heightPx, 'plain', true);
  const numbers = numberScale(data, plot.widthPx);
  paintValueAxis(pen, heights, plot, 'plain', palette);
  const filled = new Array<number>(slots.count).fill(0);
  for (const { colour, values } of series) {
    values.forEach((value, at) => {
      if (value === null || value === 0) return;
      const { x, width } = slots.slotPx(at);
      const height = Math.max(1, heights.toPx(value));
      const gap = width >= GAP_FROM_PX ? 1 : 0;
      pen.rect(
        x,
        plot.heightPx - filled[at]! - height,
        width - gap,
        height,
        colourIn(palette, colour),
      );
      filled[at]! += height;
    });
  }
  paintNumberAxis(pen, data, numbers, plot, palette);
  paintMarks(pen, data, numbers, plot, palette);
}

function paintNumberAxis(
  pen: Pen,
  { field, unit, scale }: BinsData,
  { ticks, steps, toPx }: BinScale,
  { widthPx, heightPx }: Size,
  palette: Palette,
): void {
  for (const step of steps) pen.rect(Math.round(toPx(step)), heightPx, 1, 3, palette.text);
  let lastPx = -Infinity;
  for (const tick of ticks) {
    const [px, label] = [toPx(tick), formatValue(tick, unit)];
    // Labels that would run into each other are left out.
    const halfPx = pen.textWidth(label) / 2;
    if (px - halfPx < lastPx + 6) continue;
    paintBelow(pen, px, label, widthPx, heightPx, palette);
    lastPx = px + halfPx;
  }
  pen.text(widthPx / 2, heightPx + 22, texts.charts.axis[scale](field), {
    colour: palette.text,
    align: 'center',
    baseline: 'top',
  });
}

/** Percentiles as lines with what they are; where the next line leaves no room for it, with their names alone. */
function paintMarks(
  pen: Pen,
  data: BinsData,
  numbers: ValueScale,
  plot: Size,
  palette: Palette,
): void {
  const places = data.marks.map(({ value }) => Math.round(numbers.toPx(value)));
  data.marks.forEach(({ name, value }, at) => {
    const x = places[at]!;
    pen.line(
      [
        { x, y: 0 },
        { x, y: plot.heightPx },
      ],
      { colour: palette.strong, widthPx: 1, dash: [3, 3] },
    );
    const roomPx = (places[at + 1] ?? plot.widthPx) - x - 8;
    const label = [`${name} ${formatValue(value, data.unit)}`, name].find(
      (text) => pen.textWidth(text) <= roomPx,
    );
    if (label !== undefined) pen.text(x + 4, 6, label, { colour: palette.strong });
  });
}

/** Bars of values, for files; on the screen they are a list that can be walked through. */
function paintTerms(pen: Pen, picture: Picture, data: TermsData): void {
  const { palette, widthPx } = picture;
  const most = data.rows.reduce((greatest, { value }) => Math.max(greatest, value ?? 0), 0);
  const nameWidth = widthPx * 0.38;
  const barWidth = widthPx - nameWidth - 96;
  const letters = Math.max(
    4,
    Math.floor(nameWidth / Math.max(1, pen.textWidth('abcdefghij') / 10)) - 2,
  );
  data.rows.forEach((row, at) => {
    const y = at * TERM_ROW_PX + TERM_ROW_PX / 2;
    const name = row.name.length > letters ? `${row.name.slice(0, letters - 1)}…` : row.name;
    pen.text(nameWidth - 8, y, name, { colour: palette.strong, align: 'right' });
    const width = most === 0 ? 0 : (Math.max(0, row.value ?? 0) / most) * barWidth;
    pen.rect(nameWidth, y - 7, Math.max(1, width), 14, termColour(palette, row.colour));
    const value = row.value === null ? '–' : formatValue(row.value, data.unit);
    pen.text(nameWidth + Math.max(1, width) + 6, y, value, { colour: palette.text });
  });
}

function termColour(palette: Palette, colour: TermsData['rows'][number]['colour']): string {
  // Bars have their names beside them; a colour each would mean nothing more.
  return typeof colour === 'number' ? palette.series[0]! : colourIn(palette, colour);
}
