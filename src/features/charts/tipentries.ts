/** The tooltip: the values of the bucket under the pointer. */
import { formatCount } from '../../base/format';
import { texts } from '../../base/texts';
import type { BinsData, HeatData, SeriesColour, TimeData } from '../../state/charts/chartdata';
import { formatValue, type Unit } from '../../state/charts/units';
import { heatScale, shownSeries } from './layout';
import { Slots } from '../plot/slots';

export interface TipEntry {
  /** The series that it is of; null for a cell of a heatmap. */
  readonly id: string | null;
  readonly name: string;
  readonly value: string;
  readonly colour: SeriesColour | null;
  readonly before: string | null;
}

/** `share` is the height of the pointer, from 0 at the bottom to 1. */
export function tipEntries(
  data: TimeData | HeatData | BinsData,
  hidden: readonly string[],
  slot: number,
  share: number | null,
): TipEntry[] {
  if (data.shape === 'heat')
    return [...cellEntry(data, slot, share), ...lineEntries(data, hidden, slot)];
  const unit = data.shape === 'time' ? data.unit : 'plain';
  return shownSeries(data.series, hidden).flatMap((series): TipEntry[] => {
    const value = series.values[slot] ?? null;
    const before = data.shape === 'time' ? beforeAt(data, series.before?.values, slot) : null;
    if (value === null && before === null) return [];
    return [
      {
        id: series.id,
        name: series.name,
        value: value === null ? '–' : exactly(value, unit),
        colour: series.colour,
        before: before === null ? null : exactly(before, unit),
      },
    ];
  });
}

/** A tooltip shows all digits of a count, not the three that fit on an axis. */
function exactly(value: number, unit: Unit): string {
  return unit === 'plain' && Number.isInteger(value)
    ? formatCount(value)
    : formatValue(value, unit);
}

function beforeAt(
  { edges, before }: TimeData,
  values: readonly (number | null)[] | undefined,
  slot: number,
): number | null {
  if (before === null || values === undefined) return null;
  const middle = (edges[slot]! + edges[slot + 1]!) / 2n;
  const at = before.edges.findIndex(
    (edge, at) => edge <= middle && middle < (before.edges[at + 1] ?? edge),
  );
  return at < 0 ? null : (values[at] ?? null);
}

function cellEntry(data: HeatData, slot: number, share: number | null): TipEntry[] {
  const { bins, counts, unit } = data;
  const bin = share === null ? null : new Slots(heatScale(data, 1).edgesPx, 1).slotAt(share);
  if (bin === null) return [];
  const name = `${formatValue(bins[bin]!, unit)} – ${formatValue(bins[bin + 1]!, unit)}`;
  const count = counts[slot * (bins.length - 1) + bin] ?? 0;
  return [{ id: null, name, value: texts.counts.events(count), colour: null, before: null }];
}

function lineEntries(
  { lines, unit }: HeatData,
  hidden: readonly string[],
  slot: number,
): TipEntry[] {
  return shownSeries(lines, hidden).flatMap(({ id, name, values }) => {
    const value = values[slot] ?? null;
    return value === null
      ? []
      : [{ id, name, value: formatValue(value, unit), colour: null, before: null }];
  });
}

/** The sum of a stack, if it has more than one part. */
export function tipSum(
  data: TimeData | HeatData | BinsData,
  hidden: readonly string[],
  slot: number,
): string | null {
  if (data.shape === 'heat' || (data.shape === 'time' && !data.stacked)) return null;
  const series = shownSeries(data.series, hidden);
  if (series.length < 2) return null;
  return formatCount(series.reduce((sum, { values }) => sum + (values[slot] ?? 0), 0));
}
