/** The clauses of a query, each as a pill. */
import type { QueryClause } from '../../ipc/generated';
import type { ViewState } from '../view/viewstate';

export interface Pill {
  readonly key: string;
  readonly text: string;
  /** Its index among the clauses of the query; null while it is switched off. */
  readonly at: number | null;
  readonly isNegated: boolean;
  readonly isPinned: boolean;
}

/** Whether the text in the query bar lacks a clause: it is switched off, or pinned and not written again. */
export function isOutsideText({ at, text, isPinned }: Pill, written: string): boolean {
  return at === null || (isPinned && !written.includes(text));
}

/** A test on the time, and a time at its end that names its own zone. */
const OF_TIME = /^[(\s]*(?:NOT\s+|[-!])?\(*(?:@timestamp|_?time)\s*(?::|!?=|[<>]=?)/i;
const OWN_ZONE = /\d(?:Z|[+-]\d{2}:?\d{2})["')\]]*$/;

/** Whether a clause has a time that depends on the zone of the screen. */
export function isInZone(text: string): boolean {
  return OF_TIME.test(text) && !OWN_ZONE.test(text) && !text.endsWith(':*');
}

/** The clauses of the query, and those that are switched off. `*` between clauses has no text and no pill. */
export function pillsOf(
  clauses: readonly QueryClause[],
  { off, pinned }: Pick<ViewState, 'off' | 'pinned'>,
): Pill[] {
  const on = clauses.map(({ text, isNegated }, at) => ({
    key: `on ${at} ${text}`,
    text,
    at,
    isNegated,
  }));
  const others = off.map((text) => ({ key: `off ${text}`, text, at: null, isNegated: false }));
  return [...on, ...others]
    .filter(({ text }) => text !== '')
    .map((pill) => ({ ...pill, isPinned: pinned.includes(pill.text) }));
}
