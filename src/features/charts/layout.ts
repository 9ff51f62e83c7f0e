/** The geometry of a chart, used to draw it and to find what the pointer is on. */
import type { BinsData, ChartData, HeatData, Series, TimeData } from '../../state/charts/chartdata';
import { MARGIN_PX, type Size } from '../plot/axes';
import { TimeScale } from '../plot/timescale';
import { Slots } from '../plot/slots';
import { binScale, valueScale, type BinScale, type ValueScale } from '../plot/valuescale';

/** Height below a number axis for its name. A time axis needs none. */
const AXIS_NAME_PX = 16;
/** Width reserved for a label on a number axis. */
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

/** The sum of all series per slot; negative values count as nothing. */
export function stackSums(series: readonly Series[], slots: number): number[] {
  return Array.from({ length: slots }, (_, at) =>
    series.reduce((sum, { values }) => sum + Math.max(0, values[at] ?? 0), 0),
  );
}

export function heightScale(
  data: TimeData | BinsData,
  series: readonly Series[],
  heightPx: number,
): ValueScale {
  if (data.shape === 'bins') {
    const sums = stackSums(series, Math.max(0, data.bins.length - 1));
    return valueScale(sums, 'linear', heightPx, 'plain', true);
  }
  const whole = data.unit === 'plain' && series.every(({ values }) => values.every(isWhole));
  return valueScale(heights(data, series), data.scale, heightPx, data.unit, whole);
}

function isWhole(value: number | null): boolean {
  return value === null || Number.isInteger(value);
}

function* heights(data: TimeData, series: readonly Series[]): Iterable<number> {
  if (data.stacked) yield* stackSums(series, data.edges.length - 1);
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
