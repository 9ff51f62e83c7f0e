/** What a screen shows of a case, as plain data: everything that undo, sharing and a restart restore. */
import type { Order } from '../../ipc/generated';
import type { RangeChoice } from './ranges';

export type Json =
  null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** A column of the event list. */
export interface ViewColumn {
  readonly field: string;
  /** Null means automatic width. */
  readonly widthPx: number | null;
  /** Stays visible when the list is scrolled sideways. */
  readonly pinned: boolean;
}

export interface ViewSort {
  readonly field: string;
  readonly descending: boolean;
}

/** A tab that a command opened, such as all events with an id. It can be closed. */
export interface FollowUp {
  readonly id: string;
  /** The kind in the table of tabs. */
  readonly kind: string;
  readonly title: string;
  /** The parameters of that kind. */
  readonly about: Json;
}

/** A message pattern with a lane of its own in the timeline. */
export interface PinnedPattern {
  /** The id of its template. */
  readonly id: string;
  readonly text: string;
}

export interface TimelineChoice {
  /** The field by which the bars are split. */
  readonly split: string;
  readonly scale: 'linear' | 'logarithmic';
  /** A lane for each source instead of a single one. */
  readonly lanes: boolean;
  /** The width of its bins, and of those of charts, in nanoseconds; null chooses one that suits the range. */
  readonly widthNs: string | null;
  /** Long times without events are folded to breaks. */
  readonly folded: boolean;
  /** Patterns with lanes, whatever the filter is. */
  readonly pinned: readonly PinnedPattern[];
}

export interface ViewState {
  /** The query as it was run last, including pipes. */
  readonly query: string;
  /** Clauses that are switched off. They are no part of the query. */
  readonly off: readonly string[];
  /** Clauses that stay when the query is cleared or replaced. */
  readonly pinned: readonly string[];
  readonly range: RangeChoice;
  readonly order: Order;
  /** Null sorts by time, in the direction of `order`. */
  readonly sort: ViewSort | null;
  /** Empty means the standard columns. */
  readonly columns: readonly ViewColumn[];
  /** The id of the selected tab: a permanent one, or a follow-up. */
  readonly tab: string;
  readonly followUps: readonly FollowUp[];
  readonly timeline: TimelineChoice;
  /** The zone that times are formatted and parsed in: `UTC`, `local` or an IANA name. */
  readonly zone: string;
  /** The state of the charts, which define its shape. */
  readonly charts: Json;
  /** What the comparison compares, which defines its shape. */
  readonly comparison: Json;
}

export const START: ViewState = {
  query: '',
  off: [],
  pinned: [],
  range: null,
  order: 'oldestFirst',
  sort: null,
  columns: [],
  tab: 'events',
  followUps: [],
  timeline: {
    split: 'level',
    scale: 'linear',
    lanes: false,
    widthNs: null,
    folded: false,
    pinned: [],
  },
  zone: 'UTC',
  charts: null,
  comparison: null,
};
