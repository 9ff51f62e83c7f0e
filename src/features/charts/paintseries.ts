/** Curves and bars over time, with an earlier period dashed under them. */
import type { Series, TimeData } from '../../state/charts/chartdata';
import { TimeScale } from '../timeline/scale';
import { heightScale, shownSeries, stackedSums, timeSlots, type Size } from './layout';
import { GAP_FROM_PX, paintValueAxis, type Picture } from './paint';
import { colourIn, type Palette } from './palette';
import type { Pen, Point } from './pen';
import type { Slots } from './slots';
import type { ValueScale } from './valuescale';

/** A value between two buckets without any is a dot this wide, because a line needs two ends. */
const DOT_PX = 5;
/** The same of the earlier period, which is dashed. */
const DASH_PX: Size = { widthPx: 8, heightPx: 2 };

export function paintTimeData(pen: Pen, picture: Picture, data: TimeData, plot: Size): void {
  const { palette } = picture;
  const slots = timeSlots(data, plot.widthPx);
  const series = shownSeries(data.series, picture.hidden);
  const scale = heightScale(data, series, plot.heightPx);
  paintValueAxis(pen, scale, plot, data.unit, palette);
  pen.within(0, 0, { width: plot.widthPx, height: plot.heightPx }, () => {
    if (data.stacked) paintStack(pen, series, slots, scale, plot, palette);
    // The foremost series is drawn last, so that nothing covers it.
    else for (const one of series.toReversed()) paintCurve(pen, one, slots, scale, plot, palette);
    paintBefore(pen, data, series, scale, plot, palette);
  });
}

/** The most frequent series stand on the ground line, where heights can be compared. */
function paintStack(
  pen: Pen,
  series: readonly Series[],
  slots: Slots,
  scale: ValueScale,
  { heightPx }: Size,
  palette: Palette,
): void {
  const sums = stackedSums(series, slots.count);
  const filled = new Array<number>(slots.count).fill(0);
  series.forEach(({ values, colour }, which) => {
    const fill = colourIn(palette, colour);
    values.forEach((value, at) => {
      if (value === null || value <= 0) return;
      const { x, width } = slots.slotPx(at);
      const top = Math.max(scale.toPx(sums[which]![at]!), filled[at]! + 1);
      const gap = width >= GAP_FROM_PX ? 1 : 0;
      pen.rect(x, heightPx - top, width - gap, top - filled[at]!, fill);
      filled[at] = top;
    });
  });
}

function paintCurve(
  pen: Pen,
  { values, colour }: Series,
  slots: Slots,
  scale: ValueScale,
  { heightPx }: Size,
  palette: Palette,
): void {
  const stroke = colourIn(palette, colour);
  for (const points of runs(values, (at) => slots.middlePx(at), scale, heightPx)) {
    if (points.length > 1) pen.line(points, { colour: stroke, widthPx: 1.75 });
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
  for (const { before, colour } of series) {
    if (before === null) continue;
    // Over bars of the same colour a dashed line would not be seen.
    const stroke = data.stacked && series.length === 1 ? palette.strong : colourIn(palette, colour);
    for (const points of runs(before.values, middle, scale, heightPx)) {
      if (points.length > 1) pen.line(points, { colour: stroke, widthPx: 1.5, dash: [4, 4] });
      else mark(pen, points[0]!, DASH_PX, stroke);
    }
  }
}

/** Stretches without a gap: where there is no figure, nothing is drawn as if there were. */
function runs(
  values: readonly (number | null)[],
  x: (at: number) => number,
  scale: ValueScale,
  heightPx: number,
): Point[][] {
  const found: Point[][] = [];
  let open = false;
  values.forEach((value, at) => {
    if (value === null) {
      open = false;
      return;
    }
    const point = { x: x(at), y: heightPx - scale.toPx(value) };
    if (open) found.at(-1)!.push(point);
    else found.push([point]);
    open = true;
  });
  return found;
}
