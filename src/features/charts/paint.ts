/** Draws charts with a pen, for the screen, PNG and SVG. */
import { texts } from '../../base/texts';
import type { BinsData, HeatData, TermsData } from '../../state/charts/chartdata';
import { formatValue } from '../../state/charts/units';
import {
  labelMiddlePx,
  MARGIN_PX,
  paintStackedBars,
  paintTickBelow,
  paintTimeAxis,
  paintValueAxis,
  type Size,
} from '../plot/axes';
import { colourIn, heatShades, type Palette } from '../plot/palette';
import type { Pen, Point } from '../plot/pen';
import { TimeScale } from '../plot/timescale';
import type { BinScale, ValueScale } from '../plot/valuescale';
import {
  heatScale,
  heightScale,
  numberScale,
  plotSize,
  shownSeries,
  slotsOf,
  timeSlots,
} from './layout';
import { paintTimeData, runs } from './paintseries';
import { barsOf, dashOf, fitting, tickLabels, type Picture } from './picture';

const HEAT_SHADES = 64;
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
    if (data.shape !== 'bins') {
      const scale = new TimeScale(data.domain, plot.widthPx);
      paintTimeAxis(pen, scale, plot.heightPx, picture.clock, picture.palette);
    }
  });
}

function paintHeat(pen: Pen, { palette, hidden }: Picture, data: HeatData, plot: Size): void {
  const slots = timeSlots(data, plot.widthPx);
  const scale = heatScale(data, plot.heightPx);
  const bins = Math.max(1, data.bins.length - 1);
  const most = data.counts.reduce((greatest, count) => Math.max(greatest, count), 0);
  const shades = heatShades(palette, HEAT_SHADES);
  paintValueAxis(pen, scale, plot, tickLabels(scale, data.unit), palette);
  pen.within(0, 0, { width: plot.widthPx, height: plot.heightPx }, () => {
    data.counts.forEach((count, cell) => {
      if (count === 0) return;
      const [slot, bin] = [Math.floor(cell / bins), cell % bins];
      const { x, width } = slots.slotPx(slot);
      const [top, bottom] = [bin + 1, bin].map((edge) =>
        Math.round(plot.heightPx - scale.edgesPx[edge]!),
      );
      // A single slow request among thousands of fast ones stays visible.
      const strength = most <= 1 ? 1 : Math.log(count) / Math.log(most);
      const shade = shades[Math.round(strength * (HEAT_SHADES - 1))]!;
      pen.rect(x, top!, width, Math.max(1, bottom! - top!), shade);
    });
    for (const line of shownSeries(data.lines, hidden)) {
      const middle = (at: number) => slots.middlePx(at);
      for (const points of runs(line.values, middle, scale, plot.heightPx, data.gaps ?? 'joined')) {
        // An outline in the background colour separates the line from any shade under it.
        const drawn = points.length === 1 ? asDash(points[0]!, slots.bandPx) : points;
        pen.line(drawn, { colour: palette.ground, widthPx: 4, alpha: 0.8 });
        pen.line(drawn, { colour: palette.strong, widthPx: 1.6, dash: dashOf(line) });
      }
    }
  });
}

/** A single value becomes a line as wide as its column. */
function asDash({ x, y }: Point, widthPx: number): Point[] {
  return [x - widthPx / 2, x + widthPx / 2].map((end) => ({ x: end, y }));
}

function paintBins(pen: Pen, { palette, hidden }: Picture, data: BinsData, plot: Size): void {
  const slots = slotsOf(data, plot.widthPx);
  const series = shownSeries(data.series, hidden);
  const heights = heightScale(data, series, plot.heightPx);
  const numbers = numberScale(data, plot.widthPx);
  paintValueAxis(pen, heights, plot, tickLabels(heights, 'plain'), palette);
  paintStackedBars(pen, barsOf(series, palette), slots, heights, plot.heightPx);
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
    // Labels that would overlap are left out.
    const [halfPx, middlePx] = [pen.textWidth(label) / 2, labelMiddlePx(pen, px, label, widthPx)];
    if (middlePx - halfPx < lastPx + 6) continue;
    paintTickBelow(pen, px, label, { widthPx, heightPx }, palette);
    lastPx = middlePx + halfPx;
  }
  pen.text(widthPx / 2, heightPx + 22, fitting(pen, texts.charts.axis[scale](field), widthPx), {
    colour: palette.text,
    align: 'center',
    baseline: 'top',
  });
}

/**
 * Percentiles as labelled lines. A label is to the right of its line, or to the left where it would
 * leave the plot or reach the next line; without room for the value it is only the name.
 */
function paintMarks(
  pen: Pen,
  data: BinsData,
  numbers: ValueScale,
  plot: Size,
  palette: Palette,
): void {
  /** Where the last label or line ends. */
  let takenPx = 0;
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
    const rightPx = (places[at + 1] ?? plot.widthPx) - x - 8;
    const leftPx = x - Math.max(0, takenPx) - 8;
    const place = [`${name} ${formatValue(value, data.unit)}`, name]
      .flatMap((text) => [
        { text, px: x + 4, align: 'left' as const, roomPx: rightPx },
        { text, px: x - 4, align: 'right' as const, roomPx: leftPx },
      ])
      .find(({ text, roomPx }) => pen.textWidth(text) <= roomPx);
    takenPx = x;
    if (place === undefined) return;
    pen.text(place.px, 6, place.text, { colour: palette.strong, align: place.align });
    if (place.align === 'left') takenPx = place.px + pen.textWidth(place.text);
  });
}

/** Horizontal bars, for image files; on the screen they are a list that the keyboard can reach. */
function paintTerms(pen: Pen, picture: Picture, data: TermsData): void {
  const { palette, widthPx } = picture;
  const most = data.rows.reduce((greatest, { value }) => Math.max(greatest, value ?? 0), 0);
  const nameWidth = widthPx * 0.38;
  const barWidth = widthPx - nameWidth - 96;
  data.rows.forEach((row, at) => {
    const y = at * TERM_ROW_PX + TERM_ROW_PX / 2;
    pen.text(nameWidth - 8, y, fitting(pen, row.name, nameWidth - 16), {
      colour: palette.strong,
      align: 'right',
    });
    const width = most === 0 ? 0 : (Math.max(0, row.value ?? 0) / most) * barWidth;
    pen.rect(nameWidth, y - 7, Math.max(1, width), 14, termColour(palette, row.colour));
    const value = row.value === null ? '–' : formatValue(row.value, data.unit);
    pen.text(nameWidth + Math.max(1, width) + 6, y, value, { colour: palette.text });
  });
}

function termColour(palette: Palette, colour: TermsData['rows'][number]['colour']): string {
  // Each bar has its name next to it, so different colours would add nothing.
  return typeof colour === 'number' ? palette.series[0]! : colourIn(palette, colour);
}
