import { formatBytes, formatMillis, formatSeconds } from '../../base/format';
import { texts } from '../../base/texts';
import type { FileProgress, ImportProgress } from '../../ipc/generated';
import type { ImportJob } from '../../state/importing/imports.svelte';

export type ShownState = keyof typeof texts.imports.states;

/** How a file stands, as it is shown: with a note it is not simply done, nor waiting after the end. */
export function shownState(file: FileProgress, active: boolean): ShownState {
  if (file.state === 'done' && file.note !== null) return 'warned';
  if (file.state === 'waiting' && !active) return 'skipped';
  return file.state;
}

/** What wants attention first: what failed, what is being read, then the rest in its own order. */
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

/** Whether so much is read already of what is packed that nobody knows how much is left. */
export function isOutrun({ state, bytesRead, bytesTotal }: FileProgress): boolean {
  return state === 'reading' && bytesRead > 0 && bytesRead >= bytesTotal;
}

const isOpenEnded = ({ files }: Pick<ImportJob, 'files'>): boolean =>
  files.some((file) => file !== undefined && isOutrun(file));

/** From 0 to 1; a phase without a measure of its own has none. */
export function share(progress: ImportProgress | null): number | null {
  if (progress === null || progress.phase === 'indexing' || progress.bytesTotal === 0) return null;
  return Math.min(1, progress.bytesRead / progress.bytesTotal);
}

/** Before this, a rate says more about opening files than about reading them. */
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

/** Whether an import brought nothing because the case has all of it. */
function isAllKnown({ state, files, report }: ImportJob): boolean {
  const known = files.some((file) => file?.outcome === 'known');
  return state === 'done' && known && report?.events === 0 && report.problems.length === 0;
}

function took(elapsedMs: number): string {
  return elapsedMs < 60_000 ? formatMillis(elapsedMs) : formatSeconds(elapsedMs / 1000);
}

/** What an import brought and how long it took: all there is to know where nothing went wrong. */
function outcome({ files, report, progress }: ImportJob): string {
  const read = files.filter((file) => file !== undefined);
  const known = read.filter((file) => file.outcome === 'known').length;
  const unparsed = read.reduce((sum, file) => sum + file.unparsed, 0);
  // Archives are not read themselves, and what could not be read is told beside this.
  const brought = read.filter((file) => file.events > 0 || file.outcome === 'known').length;
  const parts = [texts.imports.done(report?.events ?? 0, brought)];
  if (known > 0) parts.push(texts.imports.known(known));
  if (unparsed > 0) parts.push(texts.counts.unparsed(unparsed));
  if (progress !== null) parts.push(took(progress.elapsedMs));
  return parts.join(' · ');
}

/** What a job is doing or has done, in one line. */
export function headline(job: ImportJob): string {
  const { state, progress, report } = job;
  const kept = report?.events ?? progress?.events ?? 0;
  if (state === 'waiting') return texts.imports.waiting;
  if (isAllKnown(job)) return texts.importing.progress.allKnown;
  if (state === 'done') return outcome(job);
  if (state === 'cancelled') return texts.imports.cancelled(kept);
  if (state === 'failed') return texts.imports.failed;
  if (job.stopping) return texts.imports.stopping;
  if (progress === null) return texts.imports.starting;
  if (progress.phase === 'indexing') return texts.imports.indexing;
  return texts.imports.reading(progress.filesDone, progress.filesTotal);
}
