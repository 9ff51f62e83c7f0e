/** Where things stand in the picture of a chart; shared by what draws it and what is pointed at. */
import type { BinsData, ChartData, HeatData, Series, TimeData } from '../../state/charts/chartdata';
import { MARGIN_PX } from '../timeline/paint';
import { TimeScale } from '../timeline/scale';
import { Slots } from './slots';
import { binScale, valueScale, type BinScale, type ValueScale } from './valuescale';

/** The plot begins and ends where that of the timeline does, so that times stand under each other. */
export { MARGIN_PX };

export interface Size {
  readonly widthPx: number;
  readonly heightPx: number;
}

/** Room below an axis of numbers for what they are; that an axis of time is one goes without saying. */
const AXIS_NAME_PX = 16;
/** Room that a label on an axis of numbers wants. */
const BIN_LABEL_PX = 64;

export function plotSize({ widthPx, heightPx }: Size, shape: ChartData['shape']): Size {
  const namePx = shape === 'bins' ? AXIS_NAME_PX : 0;
  return {
    widthPx: Math.max(1, widthPx - MARGIN_PX.left - MARGIN_PX.right),
    heightPx: Math.max(1, heightPx - MARGIN_PX.top - MARGIN_PX.bottom - namePx),
  };
}

export function timeSlots({ edges, domain }: TimeData | HeatData, widthPx: number): Slots {
  const scale = new TimeScale(domain, widthPx);
  return new Slots(
    edges.map((edge) => scale.toPx(edge)),
    widthPx,
  );
}

export function slotsOf(data: ChartData, widthPx: number): Slots {
  switch (data.shape) {
    case 'time':
    case 'heat':
      return timeSlots(data, widthPx);
    case 'bins':
      return new Slots(numberScale(data, widthPx).edgesPx, widthPx);
    default:
      return new Slots([], widthPx);
  }
}

export function shownSeries(series: readonly Series[], hidden: readonly string[]): Series[] {
  return series.filter(({ id }) => !hidden.includes(id));
}

/** The heights of series that stand on one another: the sums from the ground up to each. */
export function stackedSums(series: readonly Series[], slots: number): number[][] {
  const sums = new Array<number>(slots).fill(0);
  return series.map(({ values }) =>
    Array.from({ length: slots }, (_, at) => (sums[at]! += Math.max(0, values[at] ?? 0))),
  );
}

export function heightScale(
  data: TimeData,
  series: readonly Series[],
  heightPx: number,
): ValueScale {
  const whole = data.unit === 'plain' && series.every(({ values }) => values.every(isWhole));
  return valueScale(heights(data, series), data.scale, heightPx, data.unit, whole);
}

function isWhole(value: number | null): boolean {
  return value === null || Number.isInteger(value);
}

function* heights(data: TimeData, series: readonly Series[]): Iterable<number> {
  if (data.stacked) yield* stackedSums(series, data.edges.length - 1).at(-1) ?? [];
  else for (const { values } of series) for (const value of values) if (value !== null) yield value;
  for (const { before } of series) {
    for (const value of before?.values ?? []) if (value !== null) yield value;
  }
}

export function numberScale({ bins, scale, unit }: BinsData, widthPx: number): BinScale {
  return binScale(bins, scale, widthPx, unit, Math.max(2, Math.floor(widthPx / BIN_LABEL_PX)));
}

export function heatScale(data: HeatData, heightPx: number): BinScale {
  return binScale(
    data.bins,
    data.scale,
    heightPx,
    data.unit,
    Math.max(2, Math.floor(heightPx / 36)),
  );
}
