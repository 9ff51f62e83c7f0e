import type { TimeRange } from '../../base/time';

/** A stretch of time, and how it was written where a person wrote it: `now-15m`. */
export interface ChosenRange extends TimeRange {
  readonly written?: string;
}

/** Null is all of the time there is. */
export type RangeChoice = ChosenRange | null;

export function sameRange(a: RangeChoice, b: RangeChoice): boolean {
  return a === b || (a !== null && b !== null && a.from === b.from && a.to === b.to);
}
