import { engineError, type Client, type EngineError } from '../ipc/client';
import type { FileProgress, ImportProgress, ImportReport } from '../ipc/generated';

export type ImportState = 'waiting' | 'running' | 'done' | 'cancelled' | 'failed';

/** What an import needs to tell the case it fills. */
export interface ImportListener {
  published(progress: ImportProgress): void;
  finished(report: ImportReport): void;
}

/** One import, from the wish to the report. */
export class ImportJob {
  state = $state<ImportState>('waiting');
  stopping = $state(false);
  progress = $state.raw<ImportProgress | null>(null);
  /** By their place in the import; a place may be empty before its first report. */
  files = $state.raw<readonly FileProgress[]>([]);
  report = $state.raw<ImportReport | null>(null);
  failure = $state.raw<EngineError | null>(null);

  readonly casePath: string;
  readonly paths: string[];
  readonly #client: Client;
  readonly #listener: ImportListener;
  readonly #abort = new AbortController();

  constructor(client: Client, casePath: string, paths: string[], listener: ImportListener) {
    this.#client = client;
    this.casePath = casePath;
    this.paths = paths;
    this.#listener = listener;
  }

  get active(): boolean {
    return this.state === 'running' || this.state === 'waiting';
  }

  cancel(): void {
    if (this.state === 'waiting') this.state = 'cancelled';
    else this.stopping = true;
    this.#abort.abort();
  }

  async run(): Promise<void> {
    if (this.state !== 'waiting') return;
    this.state = 'running';
    try {
      const report = await this.#client.call(
        'import',
        { case: this.casePath, paths: this.paths },
        { signal: this.#abort.signal, progress: (progress) => this.#progressed(progress) },
      );
      this.report = report;
      this.state = report.cancelled ? 'cancelled' : 'done';
      this.#listener.finished(report);
    } catch (cause) {
      const error = engineError(cause);
      this.failure = error.code === 'cancelled' ? null : error;
      this.state = error.code === 'cancelled' ? 'cancelled' : 'failed';
    }
  }

  #progressed(progress: ImportProgress): void {
    if (progress.changed.length > 0) {
      const files = [...this.files];
      for (const file of progress.changed) files[file.index] = file;
      this.files = files;
    }
    this.progress = progress;
    this.#listener.published(progress);
  }
}

/** The same problem comes with its file and again in the report; this is how it is known again. */
export function problemKey(problem: Pick<EngineError, 'path' | 'code'>): string {
  return `${problem.code} ${problem.path}`;
}

/** Every problem of a job once, whether it came with a file or with the final report. */
export function problemsOf(job: ImportJob): EngineError[] {
  const found = new Map<string, EngineError>();
  const notes = job.files.flatMap((file) => (file?.note ? [file.note] : []));
  for (const problem of [...notes, ...(job.report?.problems ?? [])]) {
    found.set(problemKey(problem), engineError(problem));
  }
  const all = [...found.values()];
  return job.failure === null ? all : [job.failure, ...all];
}

/** The imports of a window, one at a time in the order they were wished for. */
export class Imports {
  jobs = $state.raw<readonly ImportJob[]>([]);
  #working = false;

  get running(): ImportJob | null {
    return this.jobs.find((job) => job.state === 'running') ?? null;
  }

  add(job: ImportJob): void {
    this.jobs = [...this.jobs, job];
    void this.#work();
  }

  dismissFinished(): void {
    this.jobs = this.jobs.filter((job) => job.active);
  }

  async #work(): Promise<void> {
    if (this.#working) return;
    this.#working = true;
    try {
      for (;;) {
        const next = this.jobs.find((job) => job.state === 'waiting');
        if (next === undefined) return;
        await next.run();
      }
    } finally {
      this.#working = false;
    }
  }
}
