/** Draws lines and bars over time, with an earlier period as dashed lines. */
import type { Series, TimeData } from '../../state/charts/chartdata';
import type { GapName } from '../../state/charts/chartspec';
import { paintStackedBars, paintValueAxis, type Size } from '../plot/axes';
import { colourIn, type Palette } from '../plot/palette';
import type { Pen, Point } from '../plot/pen';
import type { Slots } from '../plot/slots';
import { TimeScale } from '../plot/timescale';
import type { ValueScale } from '../plot/valuescale';
import { heightScale, shownSeries, timeSlots } from './layout';
import { barsOf, dashOf, tickLabels, type Picture } from './picture';

/** The size of a dot for a value whose neighbours are missing. */
const DOT_PX = 5;
/** The same for the earlier period, which is dashed. */
const DASH_PX: Size = { widthPx: 8, heightPx: 2 };
/** The earlier period of percentiles, which have dashes already. */
const FAINT_ALPHA = 0.4;

export function paintTimeData(pen: Pen, picture: Picture, data: TimeData, plot: Size): void {
  const { palette } = picture;
  const slots = timeSlots(data, plot.widthPx);
  const series = shownSeries(data.series, picture.hidden);
  const scale = heightScale(data, series, plot.heightPx);
  paintValueAxis(pen, scale, plot, tickLabels(scale, data.unit), palette);
  pen.within(0, 0, { width: plot.widthPx, height: plot.heightPx }, () => {
    if (data.stacked) paintStackedBars(pen, barsOf(series, palette), slots, scale, plot.heightPx);
    // The first series is drawn last, on top of the others.
    else {
      for (const one of series.toReversed())
        paintCurve(pen, one, slots, scale, plot, palette, data.gaps);
    }
    paintBefore(pen, data, series, scale, plot, palette);
  });
}

function paintCurve(
  pen: Pen,
  series: Series,
  slots: Slots,
  scale: ValueScale,
  { heightPx }: Size,
  palette: Palette,
  gaps: GapName = 'open',
): void {
  const stroke = colourIn(palette, series.colour);
  const style = { colour: stroke, widthPx: 1.75, dash: dashOf(series) };
  for (const points of runs(series.values, (at) => slots.middlePx(at), scale, heightPx, gaps)) {
    if (points.length > 1) pen.line(points, style);
    else mark(pen, points[0]!, { widthPx: DOT_PX, heightPx: DOT_PX }, stroke);
  }
}

function mark(pen: Pen, { x, y }: Point, { widthPx, heightPx }: Size, colour: string): void {
  pen.rect(x - widthPx / 2, y - heightPx / 2, widthPx, heightPx, colour);
}

function paintBefore(
  pen: Pen,
  data: TimeData,
  series: readonly Series[],
  scale: ValueScale,
  { widthPx, heightPx }: Size,
  palette: Palette,
): void {
  if (data.before === null) return;
  const time = new TimeScale(data.domain, widthPx);
  const middles = data.before.edges.map((edge) => time.toPx(edge));
  const middle = (at: number) => ((middles[at] ?? 0) + (middles[at + 1] ?? 0)) / 2;
  for (const one of series) {
    const { before, colour } = one;
    if (before === null) continue;
    // A dashed line is invisible over bars of the same colour.
    const stroke = data.stacked && series.length === 1 ? palette.strong : colourIn(palette, colour);
    const style =
      one.dash === undefined ? { dash: [4, 4] } : { dash: dashOf(one), alpha: FAINT_ALPHA };
    for (const points of runs(before.values, middle, scale, heightPx, data.gaps)) {
      if (points.length > 1) pen.line(points, { colour: stroke, widthPx: 1.5, ...style });
      else mark(pen, points[0]!, DASH_PX, stroke);
    }
  }
}

/** The points of each run of values. Where there is none, a line ends, goes on or drops to zero. */
export function runs(
  values: readonly (number | null)[],
  x: (at: number) => number,
  scale: ValueScale,
  heightPx: number,
  gaps: GapName = 'open',
): Point[][] {
  const found: Point[][] = [];
  let open = false;
  values.forEach((known, at) => {
    const value = known ?? (gaps === 'zero' ? 0 : null);
    if (value === null) {
      if (gaps === 'open') open = false;
      return;
    }
    const point = { x: x(at), y: heightPx - scale.toPx(value) };
    if (open) found.at(-1)!.push(point);
    else found.push([point]);
    open = true;
  });
  return found;
}
