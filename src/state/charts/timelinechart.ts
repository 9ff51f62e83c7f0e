/** A count of events over time, by level, as a chart. */
import { LEVELS } from '../../base/levels';
import { texts } from '../../base/texts';
import { asTime, timeFromNanos } from '../../base/time';
import type { Timeline } from '../../ipc/generated';
import type { Series, TimeData } from './chartdata';

export function chartOfTimeline(timeline: Timeline): TimeData {
  const { start, bucketNs, series, total, untimed, fraction, elapsedMs } = timeline;
  const buckets = Math.max(0, ...series.map(({ counts }) => counts.length));
  const [first, width] = [timeFromNanos(start), BigInt(bucketNs)];
  const edges = Array.from({ length: buckets + 1 }, (_, at) => asTime(first + BigInt(at) * width));
  const ordered = series.toSorted((a, b) => LEVELS.indexOf(b.level) - LEVELS.indexOf(a.level));
  return {
    shape: 'time',
    meta: { total, untimed, missing: 0, mistyped: 0, fraction, elapsedMs, notes: [] },
    edges,
    domain: { from: edges[0]!, to: edges.at(-1)! },
    series: ordered.map(({ level, counts }): Series => ({
      id: level,
      name: texts.levels[level],
      colour: level,
      values: counts,
      whole: counts.reduce((sum, count) => sum + count, 0),
      before: null,
      filter: null,
    })),
    unit: 'plain',
    scale: 'linear',
    stacked: true,
    before: null,
  };
}
