/** What a cluster cannot answer, so that the screen says it instead of asking. */
import type { OpenCase } from '../../state/workbench/opencase.svelte';

/** Tabs whose content is read out of the events of a case. */
const TABS_OF_CASES: ReadonlySet<string> = new Set(['compare', 'detectors', 'notes']);

/** Whether a tab has nothing to show for this case. */
export function isUnavailable({ isRemote, summary }: OpenCase, tab: string): boolean {
  // The patterns of a sample are not those of a case, and are not added to them.
  const isOfOne = tab === 'patterns' && summary.remote === undefined;
  return isRemote && (TABS_OF_CASES.has(tab) || isOfOne);
}
