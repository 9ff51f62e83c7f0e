import type { TimeRange } from '../base/time';

/** Null is all of the time there is. */
export type RangeChoice = TimeRange | null;

/** Steps kept; a person who zooms more often than this has no use for the first of them. */
const MOST_STEPS = 200;

/** Where a person zoomed, and the way back out. */
export class RangeHistory {
  #current: RangeChoice = null;
  #past: RangeChoice[] = [];

  get current(): RangeChoice {
    return this.#current;
  }

  get canBack(): boolean {
    return this.#past.length > 0;
  }

  /** False when it is the range already shown, which makes no step. */
  go(range: RangeChoice): boolean {
    if (sameRange(range, this.#current)) return false;
    this.#past = [...this.#past, this.#current].slice(-MOST_STEPS);
    this.#current = range;
    return true;
  }

  back(): boolean {
    const previous = this.#past.pop();
    if (previous === undefined) return false;
    this.#current = previous;
    return true;
  }
}

export function sameRange(a: RangeChoice, b: RangeChoice): boolean {
  return a === b || (a !== null && b !== null && a.from === b.from && a.to === b.to);
}
