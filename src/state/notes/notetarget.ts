/** What a star, a tag or a comment can be on: an event, or a stretch of time. */
import { asTime, nanosFromTime, timeFromNanos, type TimeRange } from '../../base/time';
import type { EventId, Nanos, Note, NoteDraft } from '../../ipc/generated';

/** A stretch of time, as notes keep it: both ends belong to it. */
export interface NoteSpan {
  readonly from: Nanos;
  readonly to: Nanos;
}

export type NoteTarget = EventId | NoteSpan;

export const eventKey = ({ source, offset }: EventId) => `${source}@${offset}`;

export function isSpan(target: NoteTarget): target is NoteSpan {
  return 'from' in target;
}

/** The same for the same event or the same stretch, so that a star is never put on it twice. */
export function targetKey(target: NoteTarget): string {
  return isSpan(target) ? `${target.from}..${target.to}` : eventKey(target);
}

export function targetOf({ event, from, to }: Note): NoteTarget | null {
  if (event !== null) return event;
  return from === null || to === null ? null : { from, to };
}

/** What a draft says of where it is. */
export function placed(target: NoteTarget): Pick<NoteDraft, 'event' | 'from' | 'to'> {
  return isSpan(target) ? { from: target.from, to: target.to } : { event: target };
}

/** A brushed range; its last nanosecond is the last that belongs to it. */
export function spanOf({ from, to }: TimeRange): NoteSpan {
  return { from: nanosFromTime(from), to: nanosFromTime(asTime(to - 1n)) };
}

export function rangeOf({ from, to }: NoteSpan): TimeRange {
  return { from: timeFromNanos(from), to: asTime(timeFromNanos(to) + 1n) };
}
