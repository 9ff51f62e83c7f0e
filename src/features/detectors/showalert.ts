/** From an alert to its events. */
import type { Alert } from '../../ipc/generated';
import { alertFilter, alertRange } from '../../state/inbox/alertcontext.svelte';
import type { OpenCase } from '../../state/workbench/opencase.svelte';

/** Lists the events of an alert. A silence has none, so those of its detector around it are listed. */
export function showAlert({ explorer }: OpenCase, alert: Alert, detectorQuery: string): void {
  const query = alert.events === 0 ? detectorQuery : alertFilter(alert);
  explorer.history.change({ query, range: alertRange(alert), tab: 'events', sort: null });
}

/** The filter of the detector of an alert, where it is one of this case. */
export function queryOf({ detectors }: OpenCase, { detector, query }: Alert): string {
  return detectors.list.find(({ name }) => name === detector)?.query ?? query;
}
