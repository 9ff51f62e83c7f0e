/** Which series of a chart a person points at, or has reached by keys. */
import type { BinsData, Series, TimeData } from '../../state/charts/chartdata';
import { partAt, stepped } from '../plot/pointed';
import { heightScale, shownSeries } from './layout';

/** The series that have a value in a slot, as the tooltip lists them. */
function present(data: TimeData | BinsData, hidden: readonly string[], slot: number): Series[] {
  return shownSeries(data.series, hidden).filter(({ values }) => (values[slot] ?? null) !== null);
}

/** The part of the bar at a height above the axis, or the nearest line. */
export function seriesAt(
  data: TimeData | BinsData,
  hidden: readonly string[],
  slot: number,
  abovePx: number,
  heightPx: number,
): Series | null {
  const scale = heightScale(data, shownSeries(data.series, hidden), heightPx);
  const all = present(data, hidden, slot);
  if (data.shape === 'bins' || data.stacked) {
    const counts = all.map(({ values }) => values[slot]!);
    return all[partAt(counts, scale.toPx, abovePx)] ?? null;
  }
  const distance = ({ values }: Series) => Math.abs(scale.toPx(values[slot]!) - abovePx);
  return all.reduce<Series | null>(
    (best, one) => (best !== null && distance(best) <= distance(one) ? best : one),
    null,
  );
}

/** The series after or before one in a slot; the first if the slot does not have it. */
export function seriesByKey(
  data: TimeData | BinsData,
  hidden: readonly string[],
  slot: number,
  id: string | null,
  step: number,
): Series | null {
  return stepped(present(data, hidden, slot), (one) => one.id === id, step);
}
