/** Draws message patterns over time with a pen: a row for each, a column for each bin. */
import {
  DAY,
  formatSpan,
  HOUR,
  MILLISECOND,
  MINUTE,
  SECOND,
  timeFromNanos,
  type Time,
} from '../../base/time';
import { texts } from '../../base/texts';
import type { Clock } from '../../base/zone';
import type { SeismographRow } from '../../ipc/generated';
import {
  EMPTY,
  LESS,
  MORE,
  SHADES,
  USUAL,
  type NamedRow,
  type SeismographData,
} from '../../state/patterns/seismographdata';
import { paintTimeAxis } from '../plot/axes';
import type { BucketSpan } from '../plot/brush';
import type { Palette } from '../plot/palette';
import type { Pen } from '../plot/pen';
import { shortenedTo } from '../plot/shortened';
import { Slots } from '../plot/slots';
import { TimeScale } from '../plot/timescale';
import type { GridCell } from './gridcursor';

/** Space for the time axis below the rows. */
export const AXIS_PX = 24;
/** Space to the right of the rows. */
export const RIGHT_PX = 12;
/** Lower rows have no label. */
export const LABELLED_PX = 11;
const GAP_PX = 10;
/** Space for the button that pins a row. */
const PIN_PX = 26;
const PERIOD_UNITS = [DAY, HOUR, MINUTE, SECOND, MILLISECOND];
/** From this height on, there is a line of ground between two rows. */
const SPACED_PX = 5;

export interface SeismographLayout {
  /** Width of the labels, and of all. */
  readonly labelPx: number;
  readonly widthPx: number;
  /** Height of all that is visible, the axis included. */
  readonly heightPx: number;
  readonly rowPx: number;
  /** How far the rows are scrolled up. */
  readonly scrollPx: number;
}

export interface SeismographPicture extends SeismographLayout {
  readonly data: SeismographData;
  readonly clock: Clock;
  readonly palette: Palette;
  /** The ids of rows with a lane in the timeline. */
  readonly pinned: ReadonlySet<string>;
}

export interface SeismographMarks extends SeismographLayout {
  readonly data: SeismographData;
  readonly hovered: GridCell | null;
  readonly cursor: GridCell | null;
  readonly selection: BucketSpan | null;
}

export function seismographScale(
  data: SeismographData,
  { widthPx, labelPx }: SeismographLayout,
): TimeScale {
  return new TimeScale(data.domain, Math.max(1, widthPx - labelPx - RIGHT_PX));
}

export function seismographSlots(data: SeismographData, scale: TimeScale): Slots {
  const edges = Array.from({ length: data.bins + 1 }, (_, at) =>
    scale.toPx((data.start + data.bin * BigInt(at)) as Time),
  );
  return new Slots(edges, scale.widthPx);
}

/** The rows that are visible, the last one excluded. */
export function visibleRows(
  rows: number,
  { heightPx, rowPx, scrollPx }: SeismographLayout,
): readonly [first: number, end: number] {
  const first = Math.max(0, Math.floor(scrollPx / rowPx));
  return [first, Math.min(rows, Math.ceil((scrollPx + heightPx - AXIS_PX) / rowPx))];
}

/** The colour of each shade. */
export function shadeColours({ heat, series, ground }: Palette): readonly string[] {
  const colours = new Array<string>(SHADES).fill(ground);
  heat.forEach((colour, at) => (colours[USUAL + at] = colour));
  // Fewer events than usual are of another hue.
  colours.fill(series[1] ?? ground, LESS);
  return colours;
}

/** The weaker shade of fewer events. */
export const shadeAlpha = (shade: number) => (shade === LESS ? 0.45 : 1);

export function paintSeismograph(pen: Pen, picture: SeismographPicture): void {
  const { data, palette, labelPx, heightPx, rowPx, scrollPx } = picture;
  const scale = seismographScale(data, picture);
  const slots = seismographSlots(data, scale);
  const rowsPx = heightPx - AXIS_PX;
  const [first, end] = visibleRows(data.rows.length, picture);
  pen.within(labelPx, 0, null, () =>
    paintTimeAxis(pen, scale, Math.min(rowsPx, data.rows.length * rowPx), picture.clock, palette),
  );
  pen.within(labelPx, 0, { width: scale.widthPx, height: rowsPx }, () =>
    pen.within(0, -scrollPx, null, () => {
      paintCells(pen, picture, slots, [first, end]);
      for (let row = first; row < end; row += 1)
        paintEnds(pen, picture, data.rows[row]!, row, scale);
    }),
  );
  if (rowPx < LABELLED_PX) return;
  pen.within(0, 0, { width: labelPx - GAP_PX, height: rowsPx }, () =>
    pen.within(0, -scrollPx, null, () => {
      for (let row = first; row < end; row += 1) paintLabel(pen, picture, data.rows[row]!, row);
    }),
  );
}

/** Neighbours of one shade are one rectangle, and each shade is painted at once, as colours are slow to change. */
function paintCells(
  pen: Pen,
  { data, palette, rowPx }: SeismographPicture,
  slots: Slots,
  [first, end]: readonly [number, number],
): void {
  const { bins, shades } = data;
  const heightPx = rowPx >= SPACED_PX ? rowPx - 1 : rowPx;
  const edges = Array.from({ length: bins }, (_, bin) => slots.slotPx(bin));
  const colours = shadeColours(palette);
  for (let shade = EMPTY + 1; shade < SHADES; shade += 1) {
    const [colour, alpha] = [colours[shade]!, shadeAlpha(shade)];
    for (let row = first; row < end; row += 1) {
      for (let bin = 0; bin < bins; bin += 1) {
        if (shades[row * bins + bin] !== shade) continue;
        const { x } = edges[bin]!;
        while (bin + 1 < bins && shades[row * bins + bin + 1] === shade) bin += 1;
        const { x: lastX, width } = edges[bin]!;
        pen.rect(x, row * rowPx, Math.max(1, lastX + width - x), heightPx, colour, alpha);
      }
    }
  }
}

/** Where a row starts or stops. */
function paintEnds(
  pen: Pen,
  { palette, rowPx }: SeismographPicture,
  { started, stopped }: SeismographRow,
  row: number,
  scale: TimeScale,
): void {
  for (const nanos of [started, stopped]) {
    if (nanos === null) continue;
    const x = Math.round(scale.toPx(timeFromNanos(nanos)));
    pen.rect(x - 1, row * rowPx, 2, Math.max(1, rowPx - 1), palette.marker);
  }
}

/** A period to two digits of its unit: it is measured from bins. */
export function periodOf(nanos: string): string {
  const period = Number(nanos);
  const unit = PERIOD_UNITS.find((each) => period >= 2 * Number(each)) ?? 1n;
  const rounded = Number((period / Number(unit)).toPrecision(2)) * Number(unit);
  return formatSpan(BigInt(Math.round(rounded)));
}

/** What is said of a row after its text. */
export function flagsOf({ started, stopped, periodNs }: SeismographRow): string {
  const words = texts.seismograph.flags;
  return [
    ...(started === null ? [] : [words.starts]),
    ...(stopped === null ? [] : [words.stops]),
    ...(periodNs === null ? [] : [words.every(periodOf(periodNs))]),
  ].join(', ');
}

function paintLabel(
  pen: Pen,
  { palette, labelPx, rowPx, pinned }: SeismographPicture,
  row: NamedRow,
  at: number,
): void {
  const y = at * rowPx + rowPx / 2;
  const flags = flagsOf(row);
  const flagPx = flags === '' ? 0 : pen.textWidth(flags) + GAP_PX;
  const textPx = Math.max(0, labelPx - PIN_PX - GAP_PX - flagPx);
  pen.within(PIN_PX, at * rowPx, { width: textPx, height: rowPx }, () =>
    pen.text(0, rowPx / 2, shortenedTo(pen, row.name ?? row.text, textPx), {
      colour: palette.strong,
      bold: pinned.has(row.id),
    }),
  );
  if (flags !== '')
    pen.text(labelPx - GAP_PX, y, flags, { colour: palette.marker, align: 'right' });
}

/** What is pointed at, in a picture of its own, so that the cells are not painted again. */
export function paintMarks(pen: Pen, palette: Palette, marks: SeismographMarks): void {
  const { data, labelPx, heightPx, rowPx, scrollPx, hovered, cursor, selection } = marks;
  const scale = seismographScale(data, marks);
  const slots = seismographSlots(data, scale);
  const rowsPx = heightPx - AXIS_PX;
  pen.within(labelPx, 0, { width: scale.widthPx, height: rowsPx }, () => {
    if (selection !== null) {
      const left = slots.slotPx(selection.first).x;
      const end = slots.slotPx(selection.last);
      const width = end.x + end.width - left;
      pen.rect(left, 0, width, rowsPx, palette.accent, 0.16);
      pen.rect(left, 0, 1.5, rowsPx, palette.accent);
      pen.rect(left + width - 1.5, 0, 1.5, rowsPx, palette.accent);
    }
    for (const [cell, alpha] of [
      [hovered, 0.08],
      [cursor, 0.16],
    ] as const) {
      if (cell === null || cell.column >= data.bins || cell.row >= data.rows.length) continue;
      const { x, width } = slots.slotPx(cell.column);
      const y = cell.row * rowPx - scrollPx;
      pen.rect(x, 0, width, rowsPx, palette.accent, alpha);
      pen.rect(0, y, scale.widthPx, rowPx, palette.accent, alpha);
      paintOutline(pen, palette, x, y, width, rowPx);
    }
  });
}

function paintOutline(
  pen: Pen,
  palette: Palette,
  x: number,
  y: number,
  width: number,
  height: number,
): void {
  const [left, right] = [x - 1, x + Math.max(width, 3)];
  pen.rect(left, y - 1, right - left + 1, 1.5, palette.strong);
  pen.rect(left, y + height - 1, right - left + 1, 1.5, palette.strong);
  pen.rect(left, y - 1, 1.5, height, palette.strong);
  pen.rect(right - 0.5, y - 1, 1.5, height, palette.strong);
}

/** The legend: a square for each shade. */
export const LEGEND_SHADES: readonly number[] = [
  LESS + 1,
  LESS,
  USUAL,
  ...Array.from({ length: LESS - MORE }, (_, at) => MORE + at),
];
