import type { Time } from '../../base/time';

/** A time or a time range that somebody marked. */
export interface Marker {
  readonly id: string;
  readonly from: Time;
  /** Null for a single time. */
  readonly to: Time | null;
  readonly label: string;
}

/** The markers of the timeline and the charts, set by the notes. */
export class Markers {
  list = $state.raw<readonly Marker[]>([]);
  /** Handlers for a click on a marker, and for a request to set one. */
  opened: (marker: Marker) => void = () => {};
  wished: (time: Time) => void = () => {};
}
