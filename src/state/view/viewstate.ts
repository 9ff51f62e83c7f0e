/** What a screen shows of a case, as plain data: all that undo, sharing and a restart have to bring back. */
import type { Order } from '../../ipc/generated';
import type { RangeChoice } from './ranges';

export type Json =
  null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** A column of the list of events, beside or instead of those that are shown unless told. */
export interface ViewColumn {
  readonly field: string;
  /** Null is as wide as the list thinks best. */
  readonly widthPx: number | null;
  /** Stays where it is when the list is scrolled sideways. */
  readonly pinned: boolean;
}

export interface ViewSort {
  readonly field: string;
  readonly descending: boolean;
}

/** A tab that a step of the work opened, such as everything that shares an id. It can be closed. */
export interface FollowUp {
  readonly id: string;
  /** What of the table of tabs shows it. */
  readonly kind: string;
  readonly title: string;
  /** What that kind needs to know. */
  readonly about: Json;
}

export interface TimelineChoice {
  /** The field whose values the bars are stacked by. */
  readonly split: string;
  readonly scale: 'linear' | 'logarithmic';
  /** A lane for each source instead of one for all. */
  readonly lanes: boolean;
}

export interface ViewState {
  /** The query as it was asked last, pipes included. */
  readonly query: string;
  /** Clauses that were switched off, to be switched on again. They are no part of the query. */
  readonly off: readonly string[];
  /** Clauses that stay when the query is cleared or replaced by another. */
  readonly pinned: readonly string[];
  readonly range: RangeChoice;
  readonly order: Order;
  /** Null sorts by time, as `order` says. */
  readonly sort: ViewSort | null;
  /** Empty means the columns that every log has. */
  readonly columns: readonly ViewColumn[];
  /** The id of the tab in front: of one that is always there, or of a follow-up. */
  readonly tab: string;
  readonly followUps: readonly FollowUp[];
  readonly timeline: TimelineChoice;
  /** The zone that times are shown in and written in: `UTC`, `local` or an IANA name. */
  readonly zone: string;
  /** What is charted; the charts give it its shape. */
  readonly charts: Json;
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
  timeline: { split: 'level', scale: 'linear', lanes: false },
  zone: 'UTC',
  charts: null,
};
