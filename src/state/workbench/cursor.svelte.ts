import type { Time } from '../../base/time';

/** Who points at a time: whoever set the cursor need not follow it. */
export type Pointer = 'timeline' | 'events' | 'charts' | 'notes';

/** The time that is pointed at, shared by the timeline, the charts and the list of events. */
export class Cursor {
  time = $state.raw<Time | null>(null);
  from = $state<Pointer | null>(null);

  point(from: Pointer, time: Time | null): void {
    // Whoever leaves takes away only their own.
    if (time === null && this.from !== from) return;
    this.time = time;
    this.from = time === null ? null : from;
  }
}
