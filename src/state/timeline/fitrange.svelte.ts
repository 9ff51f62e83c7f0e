import type { Lifetime } from '../../base/lifetime';
import {
  asTime,
  ceilTo,
  DAY,
  floorTo,
  HOUR,
  MICROSECOND,
  MILLISECOND,
  MINUTE,
  nanosFromTime,
  SECOND,
  timeFromNanos,
  type Time,
  type TimeRange,
} from '../../base/time';
import type { Client } from '../../ipc/client';
import type { CaseSummary, Order, View } from '../../ipc/generated';
import { domainOf } from '../charts/charts.svelte';
import { Request } from '../request.svelte';
import type { Explorer } from '../view/explorer.svelte';
import { bucketRange, type TimelineData } from './timelinedata';

/** If the matches take more than this share of the range, fitting would change little. */
const NARROW_SHARE = 0.5;
/** The margin at either end, as a part of the span of matches. */
const MARGIN_PART = 25n;
/** Ends are rounded to these units. */
const ROUND = [DAY, HOUR, MINUTE, SECOND, MILLISECOND, MICROSECOND];
/** The margin on either side of a single time. */
const MARGIN_ALONE = 500n * MILLISECOND;

/** The range from the first to the last bucket with events; null if there are none. */
function filled(data: TimelineData): TimeRange | null {
  const first = data.sums.findIndex((sum) => sum > 0);
  if (first < 0) return null;
  const last = data.sums.findLastIndex((sum) => sum > 0);
  return { from: bucketRange(data, first).from, to: bucketRange(data, last).to };
}

/** From the first to the last match, with a margin, within the visible range. */
export function fitted(first: Time, last: Time, shown: TimeRange): TimeRange {
  const margin = last > first ? (last - first) / MARGIN_PART : MARGIN_ALONE;
  const unit = ROUND.find((each) => each <= margin) ?? 1n;
  const from = floorTo(asTime(first - margin), unit);
  const to = ceilTo(asTime(last + 1n + margin), unit);
  return { from: from > shown.from ? from : shown.from, to: to < shown.to ? to : shown.to };
}

/** Whether the matches take a small part of the visible range. */
export function isNarrow(data: TimelineData, shown: TimeRange): boolean {
  const part = filled(data);
  if (part === null || data.fraction < 1) return false;
  const length = Number(shown.to - shown.from);
  // The shortest range around a single time.
  if (data.nonempty === 1 && length <= Number(2n * MARGIN_ALONE + MILLISECOND)) return false;
  return Number(part.to - part.from) < NARROW_SHARE * length;
}

/** Narrows the time range to the matches. */
export class FitRange {
  readonly #explorer: Explorer;
  readonly #summary: () => CaseSummary;
  readonly #ends: Request<View, readonly (Time | null)[]>;

  constructor(lifetime: Lifetime, client: Client, explorer: Explorer, summary: () => CaseSummary) {
    const end = async (view: View, order: Order, signal: AbortSignal): Promise<Time | null> => {
      const page = await client.call('page', { view, order, first: 0, count: 1 }, { signal });
      const time = page.rows[0]?.time ?? null;
      return time === null ? null : timeFromNanos(time);
    };
    this.#ends = new Request(
      lifetime,
      (view, { signal }) =>
        Promise.all([end(view, 'oldestFirst', signal), end(view, 'newestFirst', signal)])
          // The bars give nearly the same range.
          .catch(() => []),
      { ignoresGrowth: true },
    );
    this.#explorer = explorer;
    this.#summary = summary;
  }

  /** Whether fitting would change the range noticeably. */
  get isWorthwhile(): boolean {
    const data = this.#data;
    return data !== null && isNarrow(data, this.#shown);
  }

  run(): void {
    const data = this.#data;
    const part = data === null ? null : filled(data);
    if (data === null || part === null) return;
    const view = {
      ...this.#explorer.view,
      from: nanosFromTime<NonNullable<View['from']>>(part.from),
      to: nanosFromTime<NonNullable<View['to']>>(part.to),
    };
    void this.#ends.answer(view).then((ends) => {
      // If the view has changed meanwhile, its range stays.
      if (ends === null || this.#data?.key !== data.key) return;
      const [first, last] = ends;
      const range = fitted(first ?? part.from, last ?? asTime(part.to - 1n), this.#shown);
      this.#explorer.zoom(range);
    });
  }

  /** The answer to the current request. */
  get #data(): TimelineData | null {
    const { timeline, view } = this.#explorer;
    return timeline?.key === JSON.stringify(view) ? timeline : null;
  }

  get #shown(): TimeRange {
    return domainOf(this.#explorer.range, this.#summary());
  }
}
