import { formatShare } from '../../base/format';
import { texts } from '../../base/texts';
import { problemsOf, type Imports } from '../../state/importing/imports.svelte';
import { share } from './summary';

/** The title of a window: the progress of its import, the case, the program. */
export function windowTitle(imports: Imports, caseName: string | undefined): string {
  const base = caseName === undefined ? texts.app.name : `${caseName} – ${texts.app.name}`;
  const job = imports.running;
  const words = texts.importing.title;
  if (job === null) {
    const odd = imports.jobs.some((job) => problemsOf(job).length > 0);
    return odd ? `${words.problem} ${base}` : base;
  }
  if (job.progress?.phase === 'indexing') return `${words.indexing} · ${base}`;
  const part = share(job.progress);
  return part === null ? base : `${words.reading(formatShare(part))} · ${base}`;
}
