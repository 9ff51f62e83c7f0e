import type { Time } from '../../base/time';

/** A time, or a stretch of it, that somebody marked. */
export interface Marker {
  readonly id: string;
  readonly from: Time;
  /** Null for a moment. */
  readonly to: Time | null;
  readonly label: string;
}

/** What the timeline and the charts mark. Whoever keeps the notes fills it. */
export class Markers {
  list = $state.raw<readonly Marker[]>([]);
  /** What becomes of a marker that is clicked, and of a wish for one at a time. */
  opened: (marker: Marker) => void = () => {};
  wished: (time: Time) => void = () => {};
}
