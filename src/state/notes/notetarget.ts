/** The target of a star, a tag or a comment: an event, or a time range. */
import { asTime, nanosFromTime, timeFromNanos, type TimeRange } from '../../base/time';
import type { EventId, Nanos, Note, NoteDraft } from '../../ipc/generated';

/** A time range as notes store it: both ends are inclusive. */
export interface NoteSpan {
  readonly from: Nanos;
  readonly to: Nanos;
}

export type NoteTarget = EventId | NoteSpan;

export const eventKey = ({ source, offset }: EventId) => `${source}@${offset}`;

export function isSpan(target: NoteTarget): target is NoteSpan {
  return 'from' in target;
}

/** The same for the same event or range, so that it never gets two stars. */
export function targetKey(target: NoteTarget): string {
  return isSpan(target) ? `${target.from}..${target.to}` : eventKey(target);
}

export function targetOf({ event, from, to }: Note): NoteTarget | null {
  if (event !== null) return event;
  return from === null || to === null ? null : { from, to };
}

/** The target part of a note draft. */
export function placed(target: NoteTarget): Pick<NoteDraft, 'event' | 'from' | 'to'> {
  return isSpan(target) ? { from: target.from, to: target.to } : { event: target };
}

/** A selected range; its last nanosecond is inclusive. */
export function spanOf({ from, to }: TimeRange): NoteSpan {
  return { from: nanosFromTime(from), to: nanosFromTime(asTime(to - 1n)) };
}

export function rangeOf({ from, to }: NoteSpan): TimeRange {
  return { from: timeFromNanos(from), to: asTime(timeFromNanos(to) + 1n) };
}
