import type { Time } from '../../base/time';

/** The origin of a pointed time; the origin itself need not follow it. */
export type Pointer = 'timeline' | 'events' | 'charts' | 'notes';

/** The time under the pointer, shared by the timeline, the charts and the event list. */
export class Cursor {
  time = $state.raw<Time | null>(null);
  from = $state<Pointer | null>(null);

  point(from: Pointer, time: Time | null): void {
    // An origin only clears its own time.
    if (time === null && this.from !== from) return;
    this.time = time;
    this.from = time === null ? null : from;
  }
}
