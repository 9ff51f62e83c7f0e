/** A new detector in one click: from the query, from a chart, or so that it fires in the shown range. */
import { timeFromNanos } from '../../base/time';
import { spanOf } from '../../state/notes/notetarget';
import { draftDetector, type DraftSource } from '../../state/detectors/detectordraft';
import type { OpenCase } from '../../state/workbench/opencase.svelte';

export function newDetector(
  opened: OpenCase,
  {
    chart = null,
    query = opened.explorer.isSql ? '' : opened.explorer.filter,
    inRange = false,
  }: Partial<Pick<DraftSource, 'chart' | 'query'>> & { inRange?: boolean } = {},
): void {
  const { detectors, explorer, summary } = opened;
  const { first, last } = summary;
  const span = first === null || last === null ? 0n : timeFromNanos(last) - timeFromNanos(first);
  const draft = draftDetector({ query, chart, span, taken: detectors.names });
  const within = inRange && explorer.range !== null ? spanOf(explorer.range) : null;
  detectors.begin({ ...draft, suggest: { within } });
  explorer.history.change({ tab: 'detectors' });
}
