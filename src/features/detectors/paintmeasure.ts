/** Draws the measure of a detector over all of the time, its limits, and when it would have fired. */
import type { Time } from '../../base/time';
import { timeFromNanos } from '../../base/time';
import type { Clock } from '../../base/zone';
import type { DetectorLevel, MeasurePoints, TimeSpan } from '../../ipc/generated';
import { formatTick, formatValue, type Unit } from '../../state/charts/units';
import { isRelative, limitsAt } from '../../state/detectors/levelline';
import { MARGIN_PX, paintTimeAxis, paintValueAxis } from '../plot/axes';
import type { Palette } from '../plot/palette';
import type { Pen, Point } from '../plot/pen';
import type { TimeScale } from '../plot/timescale';
import { valueScale, type ValueScale } from '../plot/valuescale';

/** An alert stays visible, however short it is. */
const LEAST_PX = 2;
const TRUTH_PX = 4;
/** A level so many times the greatest value is out of the picture. */
const FAR = 3;
/** The label of the level, next to its line. */
const LABEL_PX = 6;

export interface MeasurePicture {
  readonly groups: readonly MeasurePoints[];
  /** The place of each group among all, for its colour. */
  readonly colours: readonly number[];
  readonly level: DetectorLevel | null;
  readonly spans: readonly TimeSpan[];
  readonly truth: readonly TimeSpan[];
  readonly scale: TimeScale;
  readonly values: ValueScale;
  readonly unit: Unit;
  readonly most: number;
  readonly clock: Clock;
  readonly heightPx: number;
  readonly palette: Palette;
  readonly severity: string;
}

/** The axis of the values. It stays while a level is dragged, so that the line follows the pointer. */
export function measureScale(
  groups: readonly MeasurePoints[],
  level: DetectorLevel | null,
  lengthPx: number,
  unit: Unit,
): { readonly scale: ValueScale; readonly most: number } {
  const values: number[] = [];
  for (const points of groups)
    for (const value of [...points.low, ...points.high]) if (value !== null) values.push(value);
  const highest = values.reduce((one, other) => Math.max(one, other), 0);
  // A level far beyond all values would press them flat; its line is at the edge then.
  const isNear = level !== null && (values.length === 0 || level.value <= highest * FAR);
  if (level !== null && isNear && !isRelative(level.kind))
    values.push(level.value, ...(level.clear === null ? [] : [level.clear]));
  else if (level !== null) values.push(highest * 1.1);
  const most = values.reduce((one, other) => Math.max(one, other), 0);
  return { scale: valueScale(values, 'linear', lengthPx, unit, false), most };
}

export function paintMeasure(pen: Pen, picture: MeasurePicture): void {
  const { scale, palette, values, unit, most } = picture;
  const size = {
    widthPx: scale.widthPx,
    heightPx: picture.heightPx - MARGIN_PX.top - MARGIN_PX.bottom,
  };
  pen.within(MARGIN_PX.left, MARGIN_PX.top, null, () => {
    paintTimeAxis(pen, scale, size.heightPx, picture.clock, palette);
    if (picture.groups.length > 0) {
      const format = (value: number) => formatTick(value, unit, most);
      paintValueAxis(pen, values, size, { format }, palette);
    }
    pen.within(0, 0, { width: size.widthPx, height: size.heightPx }, () => {
      paintSpans(pen, picture, size.heightPx);
      if (picture.groups.length === 1) paintBand(pen, picture, size.heightPx);
      picture.groups.forEach((points, at) => {
        const colour = palette.series[(picture.colours[at] ?? at) % palette.series.length]!;
        paintPoints(pen, points, picture, colour, size.heightPx);
      });
      paintLimit(pen, picture, size.heightPx);
    });
  });
}

function paintSpans(pen: Pen, picture: MeasurePicture, heightPx: number): void {
  const { scale, palette, severity, spans, truth } = picture;
  const place = ({ from, to }: TimeSpan) => {
    const x = scale.toPx(timeFromNanos(from) as Time);
    return { x, width: Math.max(LEAST_PX, scale.toPx(timeFromNanos(to) as Time) - x) };
  };
  for (const span of spans) {
    const { x, width } = place(span);
    pen.rect(x, 0, width, heightPx, severity, 0.22);
    pen.rect(x, 0, width, 3, severity);
  }
  for (const span of truth) {
    const { x, width } = place(span);
    pen.rect(x, heightPx - TRUTH_PX, width, TRUTH_PX, palette.marker);
  }
}

const slotPx = (slot: number, count: number, widthPx: number) => ((slot + 0.5) / count) * widthPx;

/** Lines through values; where one is missing, a new one begins. */
function lines(
  values: readonly (number | null)[],
  toPoint: (value: number, slot: number) => Point,
): Point[][] {
  const found: Point[][] = [];
  let open: Point[] | null = null;
  values.forEach((value, slot) => {
    if (value === null) {
      open = null;
      return;
    }
    if (open === null) found.push((open = []));
    open.push(toPoint(value, slot));
  });
  return found;
}

function paintPoints(
  pen: Pen,
  { low, high }: MeasurePoints,
  { scale, values }: MeasurePicture,
  colour: string,
  heightPx: number,
): void {
  const count = high.length;
  const barPx = Math.max(1, scale.widthPx / count);
  high.forEach((most, slot) => {
    const least = low[slot] ?? null;
    if (most === null || least === null || most === least) return;
    const [top, bottom] = [heightPx - values.toPx(most), heightPx - values.toPx(least)];
    pen.rect((slot / count) * scale.widthPx, top, barPx, bottom - top, colour, 0.35);
  });
  const toPoint = (value: number, slot: number) => ({
    x: slotPx(slot, count, scale.widthPx),
    y: heightPx - values.toPx(value),
  });
  for (const points of lines(high, toPoint)) {
    if (points.length === 1) pen.rect(points[0]!.x - 1, points[0]!.y - 1, 2, 2, colour);
    else pen.line(points, { colour, widthPx: 1.25 });
  }
}

/** What is expected, and how far from it is still usual. */
function paintBand(
  pen: Pen,
  { groups, level, scale, values, palette }: MeasurePicture,
  heightPx: number,
): void {
  const [points] = groups;
  if (points === undefined || level?.kind !== 'deviations') return;
  // Whole pixels: slots that overlap by a part of one would be stripes.
  const edge = (slot: number) => Math.round((slot / points.high.length) * scale.widthPx);
  points.expected.forEach((middle, slot) => {
    const unit = points.deviation[slot] ?? null;
    if (middle === null || unit === null) return;
    const at = (value: number) => Math.min(Math.max(heightPx - values.toPx(value), 0), heightPx);
    const [top, bottom] = [at(middle + level.value * unit), at(middle - level.value * unit)];
    const x = edge(slot);
    pen.rect(x, top, edge(slot + 1) - x, bottom - top, palette.accent, 0.16);
  });
}

function paintLimit(pen: Pen, picture: MeasurePicture, heightPx: number): void {
  const { groups, level, scale, values, palette, unit } = picture;
  if (level === null || groups.length === 0) return;
  const style = { colour: palette.strong, widthPx: 1.5, dash: [6, 3] };
  const y = (value: number) => Math.round(heightPx - values.toPx(value)) + 0.5;
  const label = (text: string, at: number) => {
    const isHigh = at < 16;
    const baseline = isHigh ? ('top' as const) : ('bottom' as const);
    const textStyle = { colour: palette.strong, align: 'right' as const, baseline, bold: true };
    pen.text(scale.widthPx - LABEL_PX, isHigh ? at + 4 : at - 3, text, textStyle);
  };
  if (!isRelative(level.kind)) {
    const at = y(level.value);
    const shown = formatValue(level.value, unit);
    const across = (y: number) => [
      { x: 0, y },
      { x: scale.widthPx, y },
    ];
    // An alert ends here.
    if (level.clear !== null && level.clear !== level.value)
      pen.line(across(y(level.clear)), { ...style, widthPx: 1, dash: [2, 3] });
    if (at < 0) return label(`↑ ${shown}`, 0);
    pen.line(across(at), style);
    return label(shown, at);
  }
  const [points] = groups;
  if (points === undefined || groups.length > 1) return;
  const count = points.high.length;
  let isSeen = false;
  for (const side of ['upper', 'lower'] as const) {
    const limits = points.high.map((_, slot) => limitsAt(points, level, slot)[side]);
    const toPoint = (value: number, slot: number) => ({
      x: slotPx(slot, count, scale.widthPx),
      y: y(value),
    });
    for (const line of lines(limits, toPoint)) {
      isSeen ||= line.some((point) => point.y >= 0 && point.y <= heightPx);
      pen.line(line, style);
    }
  }
  if (isSeen) return;
  const shown = `×${formatValue(level.value, 'plain')}`;
  if (level.up) label(`↑ ${shown}`, 0);
  else label(`↓ ${shown}`, heightPx);
}
