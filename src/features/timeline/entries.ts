/** The entries of a bucket in the tooltip of the timeline, and which one is meant. */
import { texts } from '../../base/texts';
import type { TimelineLanes } from '../../state/timeline/lanes';
import type { SeenValue } from '../../state/values/valueactions';
import { tokenOf } from '../plot/palette';
import { partAt } from '../plot/pointed';
import { laneScale } from './paint';
import { seriesName } from './seriescolours';

export interface TimelineEntry {
  readonly key: string;
  readonly name: string;
  readonly style: string | null;
  readonly count: number;
  readonly seen: SeenValue | null;
}

/** The value that a series or a lane is of; null for all others, and for events without one. */
export function seenOf(field: string | null, label: string | null): SeenValue | null {
  const isMissing = field === 'level' && label === 'none';
  return field === null || label === null || isMissing ? null : { field, value: label };
}

/** With lanes the sum of each, otherwise the series of the bar in stacking order. */
export function entriesOf(
  { lanes, isLaned, split }: TimelineLanes,
  bucket: number,
  areSources: boolean,
): TimelineEntry[] {
  if (!isLaned) {
    return (lanes[0]?.series ?? []).map((series) => ({
      key: series.key,
      name: seriesName(series),
      style: tokenOf(series.colour),
      count: series.counts[bucket] ?? 0,
      seen: seenOf(split, series.label),
    }));
  }
  return lanes.map(({ label, sums, pattern, isPinned = false }) => ({
    // Two patterns may have the same name.
    key: pattern ?? label ?? '',
    name: label ?? texts.explore.timeline.rest,
    style: null,
    count: sums[bucket] ?? 0,
    seen: seenOf(areSources && !isPinned ? 'source' : null, label),
  }));
}

/** The index of the lane at a depth below the top of the lanes, or of the part of a single bar. */
export function entryAt(
  shown: TimelineLanes,
  bucket: number,
  belowPx: number,
  lanePx: number,
  isLogarithmic: boolean,
): number {
  const [lane] = shown.lanes;
  if (shown.isLaned || lane === undefined) return Math.floor(belowPx / Math.max(1, lanePx));
  const { toPx } = laneScale(lane, false, isLogarithmic, lanePx);
  const counts = lane.series.map((series) => series.counts[bucket] ?? 0);
  return partAt(counts, toPx, lanePx - belowPx);
}
