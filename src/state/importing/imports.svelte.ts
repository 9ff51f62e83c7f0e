import { engineError, type Client, type EngineError } from '../../ipc/client';
import type {
  FileProgress,
  ImportChoices,
  ImportProgress,
  ImportReport,
  Nanos,
  Profile,
  Reading,
} from '../../ipc/generated';

export type ImportState = 'waiting' | 'running' | 'done' | 'cancelled' | 'failed';

/** The work of a job: reading files into a case, or re-importing sources. */
export type Work =
  /** What another page, or this one before a reload, has begun. */
  | { kind: 'attend' }
  | { kind: 'import'; paths: string[]; choices?: ImportChoices; profile?: Profile }
  | { kind: 'paste'; name: string; text: string }
  | { kind: 'adjust'; sources: number[]; zone?: string; clockOffset?: Nanos }
  | { kind: 'reread'; sources: number[]; reading: Reading };

/** Notified about the case that an import fills. */
export interface ImportListener {
  published(progress: ImportProgress): void;
  finished(report: ImportReport): void;
}

/** Before this, a rate measures opening a file more than reading it. */
const RATE_FROM_MS = 400;

/** One import, from the request to the report. */
export class ImportJob {
  state = $state<ImportState>('waiting');
  stopping = $state(false);
  /** Whether the engine has it, and does other work on the case first. */
  isQueued = $state(false);
  progress = $state.raw<ImportProgress | null>(null);
  /** By their index in the import; an entry can be empty before its first report. */
  files = $state.raw<readonly FileProgress[]>([]);
  report = $state.raw<ImportReport | null>(null);
  failure = $state.raw<EngineError | null>(null);

  readonly casePath: string;
  readonly work: Work;
  /** The number of sources that are read again; null for an import of new ones. */
  readonly reread: number | null;
  readonly #client: Client;
  readonly #listener: ImportListener;
  readonly #abort = new AbortController();
  /** When each file began to be read. */
  readonly #began = new Map<number, { atMs: number; bytes: number }>();

  constructor(client: Client, casePath: string, work: Work, listener: ImportListener) {
    this.#client = client;
    this.casePath = casePath;
    this.work = work;
    this.reread = 'sources' in work ? work.sources.length : null;
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

  async run(isQueued = false): Promise<void> {
    if (this.state !== 'waiting') return;
    this.state = 'running';
    this.isQueued = isQueued;
    try {
      const report = await this.#call();
      this.report = report;
      this.state = report?.cancelled === true ? 'cancelled' : 'done';
      if (report !== null) this.#listener.finished(report);
    } catch (cause) {
      const error = engineError(cause);
      this.failure = error.code === 'cancelled' ? null : error;
      this.state = error.code === 'cancelled' ? 'cancelled' : 'failed';
    } finally {
      this.isQueued = false;
    }
  }

  /** The rate of a file, in bytes per second; null until that is meaningful. */
  rateOf(file: FileProgress): number | null {
    const began = this.#began.get(file.index);
    const elapsedMs = (this.progress?.elapsedMs ?? 0) - (began?.atMs ?? 0);
    if (began === undefined || elapsedMs < RATE_FROM_MS) return null;
    return ((file.bytesRead - began.bytes) * 1000) / elapsedMs;
  }

  #call(): Promise<ImportReport | null> {
    const options = {
      signal: this.#abort.signal,
      progress: (progress: ImportProgress) => this.#progressed(progress),
    };
    if (this.work.kind === 'attend')
      return this.#client.call('attend', { path: this.casePath }, options);
    const { kind, ...args } = this.work;
    // The arguments of the call are those of the work, without the case.
    return this.#client.call(kind, { case: this.casePath, ...args } as never, options);
  }

  #progressed(progress: ImportProgress): void {
    if (progress.changed.length > 0) {
      const files = [...this.files];
      for (const file of progress.changed) {
        files[file.index] = file;
        if (file.state === 'reading' && !this.#began.has(file.index)) {
          this.#began.set(file.index, { atMs: progress.elapsedMs, bytes: file.bytesRead });
        }
      }
      this.files = files;
    }
    this.progress = progress;
    this.isQueued = false;
    this.#listener.published(progress);
  }
}

/** The same problem arrives with its file and again in the report; this key identifies it. */
export function problemKey(problem: Pick<EngineError, 'path' | 'code'>): string {
  return `${problem.code} ${problem.path}`;
}

/** Every problem of a job once, whether it arrived with a file or with the final report. */
export function problemsOf(job: ImportJob): EngineError[] {
  const found = new Map<string, EngineError>();
  const notes = job.files.flatMap((file) => (file?.note ? [file.note] : []));
  for (const problem of [...notes, ...(job.report?.problems ?? [])]) {
    found.set(problemKey(problem), engineError(problem));
  }
  const all = [...found.values()];
  return job.failure === null ? all : [job.failure, ...all];
}

/**
 * The imports of a window, one case at a time in the order of the requests. Work on one case is handed
 * to the engine at once, which does it in order: what waits there outlives the page.
 */
export class Imports {
  jobs = $state.raw<readonly ImportJob[]>([]);
  readonly #ended: (job: ImportJob) => void;

  constructor(ended: (job: ImportJob) => void = () => {}) {
    this.#ended = ended;
  }

  get running(): ImportJob | null {
    return this.jobs.find((job) => job.state === 'running') ?? null;
  }

  add(job: ImportJob): void {
    this.jobs = [...this.jobs, job];
    this.#work();
  }

  /** Whether something about a case is under way or waits. */
  isBusy(casePath: string): boolean {
    return this.jobs.some((job) => job.active && job.casePath === casePath);
  }

  dismissFinished(): void {
    this.jobs = this.jobs.filter((job) => job.active);
  }

  #work(): void {
    for (const job of this.jobs.filter(({ state }) => state === 'waiting')) {
      const { running } = this;
      if (running === null || running.casePath === job.casePath)
        void this.#run(job, running !== null);
    }
  }

  async #run(job: ImportJob, isQueued: boolean): Promise<void> {
    await job.run(isQueued);
    // It had ended before it could be attended.
    const isNothing = job.state === 'done' && job.report === null;
    if (isNothing) this.jobs = this.jobs.filter((other) => other !== job);
    else this.#ended(job);
    this.#work();
  }
}
