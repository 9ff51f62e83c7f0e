/** What a cluster cannot answer, so that the screen says it instead of asking. */
import type { OpenCase } from '../../state/workbench/opencase.svelte';

/** Tabs whose content is read out of the events of a case. */
const TABS_OF_CASES: ReadonlySet<string> = new Set(['compare', 'detectors', 'notes']);

/** Whether a tab has nothing to show for this case. */
export function isUnavailable({ isRemote }: OpenCase, tab: string): boolean {
  return isRemote && TABS_OF_CASES.has(tab);
}
