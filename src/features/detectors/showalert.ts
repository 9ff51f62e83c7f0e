/** From an alert to its events. */
import { asTime, SECOND, timeFromNanos, type TimeRange } from '../../base/time';
import type { Alert } from '../../ipc/generated';
import type { OpenCase } from '../../state/workbench/opencase.svelte';

/** What is shown around a silence, as a share of it. */
const AROUND = 2n;
/** A shorter alert is a moment, and shown with the time around it. */
const MOMENT = SECOND;
const AROUND_MOMENT = 30n * SECOND;
/** The times that the query of an alert begins with. */
const TIMES = /^time:\[\S+ TO \S+\](?: AND (?=\S)|$)/;

/** The times of an alert; those around it if it is a moment, or has no events of its own. */
export function alertRange({ start, end, events }: Alert): TimeRange | null {
  if (start === null || end === null) return null;
  const [from, to] = [timeFromNanos(start), timeFromNanos(end)];
  const around = events === 0 ? (to - from) / AROUND + 1n : to - from < MOMENT ? AROUND_MOMENT : 0n;
  return { from: asTime(from - around), to: asTime(to + 1n + around) };
}

/** The filter of an alert without its times, which are a range: a filter on times has no rest to compare with. */
export function alertFilter({ query, start, end }: Alert): string {
  return start === null || end === null ? query : query.replace(TIMES, '');
}

/** Lists the events of an alert. A silence has none, so those of its detector around it are listed. */
export function showAlert({ explorer }: OpenCase, alert: Alert, detectorQuery: string): void {
  const query = alert.events === 0 ? detectorQuery : alertFilter(alert);
  explorer.history.change({ query, range: alertRange(alert), tab: 'events', sort: null });
}

/** The filter of the detector of an alert, where it is one of this case. */
export function queryOf({ detectors }: OpenCase, { detector, query }: Alert): string {
  return detectors.list.find(({ name }) => name === detector)?.query ?? query;
}
