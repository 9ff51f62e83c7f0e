import { formatBytes, formatMillis, formatSeconds } from '../../base/format';
import { texts } from '../../base/texts';
import type { FileProgress, ImportProgress } from '../../ipc/generated';
import type { ImportJob } from '../../state/importing/imports.svelte';

export type ShownState = keyof typeof texts.imports.states;

/** The state of a file as shown: with a note it is not just done, nor waiting after the end. */
export function shownState(file: FileProgress, active: boolean): ShownState {
  if (file.state === 'done' && file.note !== null) return 'warned';
  if (file.state === 'waiting' && !active) return 'skipped';
  return file.state;
}

/** Urgent files first: failures, then files being read, then the rest in their own order. */
const URGENCY: Record<ShownState, number> = {
  failed: 0,
  warned: 1,
  reading: 2,
  skipped: 3,
  waiting: 4,
  done: 5,
};

export function byUrgency(files: readonly FileProgress[], active: boolean): FileProgress[] {
  return files
    .filter((file) => file !== undefined)
    .toSorted(
      (a, b) =>
        URGENCY[shownState(a, active)] - URGENCY[shownState(b, active)] || a.index - b.index,
    );
}

/** Whether more of a compressed file is read than estimated, so that the time left is unknown. */
export function isOutrun({ state, bytesRead, bytesTotal }: FileProgress): boolean {
  return state === 'reading' && bytesRead > 0 && bytesRead >= bytesTotal;
}

const isOpenEnded = ({ files }: Pick<ImportJob, 'files'>): boolean =>
  files.some((file) => file !== undefined && isOutrun(file));

/** From 0 to 1; null for a phase without a measure. */
export function share(progress: ImportProgress | null): number | null {
  if (progress === null || progress.phase === 'indexing' || progress.bytesTotal === 0) return null;
  return Math.min(1, progress.bytesRead / progress.bytesTotal);
}

/** Before this, a rate measures opening files more than reading them. */
const RATE_FROM_MS = 400;

/** `45 MB of 120 MB · 60 MB/s · 2 s left`. */
export function pace(job: Pick<ImportJob, 'files'>, progress: ImportProgress): string {
  const { bytesRead, bytesTotal, elapsedMs } = progress;
  const open = isOpenEnded(job);
  const parts = [
    open ? formatBytes(bytesRead) : `${formatBytes(bytesRead)} / ${formatBytes(bytesTotal)}`,
  ];
  if (elapsedMs >= RATE_FROM_MS && bytesRead > 0) {
    const perSecond = bytesRead / (elapsedMs / 1000);
    parts.push(`${formatBytes(perSecond)}/s`);
    if (bytesTotal > bytesRead && !open) {
      parts.push(texts.imports.timeLeft((bytesTotal - bytesRead) / perSecond));
    }
  }
  return parts.join(' · ');
}

/** Whether an import added nothing because the case has all of it. */
function isAllKnown({ state, files, report }: ImportJob): boolean {
  const known = files.some((file) => file?.outcome === 'known');
  return state === 'done' && known && report?.events === 0 && report.problems.length === 0;
}

function took(elapsedMs: number): string {
  return elapsedMs < 60_000 ? formatMillis(elapsedMs) : formatSeconds(elapsedMs / 1000);
}

/** What an import added, or how much was read again, and how long it took. */
function outcome({ files, report, progress, reread }: ImportJob): string {
  const read = files.filter((file) => file !== undefined);
  const known = read.filter((file) => file.outcome === 'known').length;
  const unparsed = read.reduce((sum, file) => sum + file.unparsed, 0);
  // Archives are not read themselves, and unreadable files are listed separately.
  const brought = read.filter((file) => file.events > 0 || file.outcome === 'known').length;
  const done =
    reread === null
      ? texts.imports.done(report?.events ?? 0, brought)
      : texts.imports.rereadDone(reread);
  const parts = [done];
  if (known > 0) parts.push(texts.imports.known(known));
  if (unparsed > 0) parts.push(texts.counts.unparsed(unparsed));
  if (progress !== null) parts.push(took(progress.elapsedMs));
  return parts.join(' · ');
}

/** The state of a re-import that is not done. */
function rereadHeadline({ state, failure, stopping }: ImportJob, sources: number): string {
  if (state === 'cancelled') return texts.imports.rereadStopped;
  if (state === 'failed') return texts.imports.rereadFailed(failure?.message ?? '');
  return stopping ? texts.imports.stopping : texts.imports.rereading(sources);
}

/** The state of a job, in one line. */
export function headline(job: ImportJob): string {
  const { state, progress, report, reread } = job;
  const kept = report?.events ?? progress?.events ?? 0;
  if (state === 'waiting' || (job.isQueued && !job.stopping)) return texts.imports.waiting;
  if (reread === null && isAllKnown(job)) return texts.importing.progress.allKnown;
  if (state === 'done') return outcome(job);
  if (reread !== null) return rereadHeadline(job, reread);
  if (state === 'cancelled') return texts.imports.cancelled(kept);
  if (state === 'failed') return texts.imports.failed(job.failure?.message ?? '', kept);
  if (job.stopping) return texts.imports.stopping;
  if (progress === null) return texts.imports.starting;
  if (progress.phase === 'indexing') return texts.imports.indexing;
  return texts.imports.reading(progress.filesDone, progress.filesTotal);
}
