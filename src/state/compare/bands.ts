/** Where the sides of a comparison are on the timeline. */
import type { TimeRange } from '../../base/time';
import { SIDE_NAMES, type ComparedSides, type SideName } from './sides';

export interface SideBand {
  readonly name: SideName;
  readonly range: TimeRange;
}

/** The times of both sides that are shown; a side of another case has none here. */
export function bandsOfSides(sides: ComparedSides, shown: TimeRange): readonly SideBand[] {
  return SIDE_NAMES.flatMap((name) => {
    const { range, isOutside, elsewhere } = sides[name];
    if (elsewhere !== null) return [];
    const own = range ?? shown;
    const times = isOutside
      ? [
          { from: shown.from, to: own.from },
          { from: own.to, to: shown.to },
        ]
      : [own];
    return times
      .map(({ from, to }) => ({
        from: from > shown.from ? from : shown.from,
        to: to < shown.to ? to : shown.to,
      }))
      .filter(({ from, to }) => from < to)
      .map((range) => ({ name, range }));
  });
}
