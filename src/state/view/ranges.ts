import type { TimeRange } from '../../base/time';

/** A time range, with the text that a person typed: `now-15m`. */
export interface ChosenRange extends TimeRange {
  readonly written?: string;
}

/** Null means all time. */
export type RangeChoice = ChosenRange | null;

export function sameRange(a: RangeChoice, b: RangeChoice): boolean {
  return a === b || (a !== null && b !== null && a.from === b.from && a.to === b.to);
}
