import type { Lifetime } from './lifetime';

/** An asynchronous request, and what happens with its answer. */
export interface Task<T> {
  /** Two tasks with the same key request the same thing. */
  readonly key: string;
  load(signal: AbortSignal): Promise<T>;
  done(value: T): void;
  failed(error: unknown): void;
}

interface Running<T> {
  readonly task: Task<T>;
  readonly abort: AbortController;
}

/**
 * Runs keyed asynchronous tasks; only the latest one counts.
 *
 * The answer of an overtaken task is never delivered, so a slow old answer cannot replace a fast new
 * one. The caller keeps what it shows until `done` delivers something better.
 */
export class Latest<T> {
  #running: Running<T> | null = null;
  #queued: Task<T> | null = null;
  readonly #lifetime: Lifetime;
  readonly #changed: (busy: boolean) => void;

  constructor(lifetime: Lifetime, changed: (busy: boolean) => void = () => {}) {
    this.#lifetime = lifetime;
    this.#changed = changed;
    lifetime.onEnd(() => this.stop());
  }

  get busy(): boolean {
    return this.#running !== null;
  }

  /** For a new request of a person: aborts the running task unless it has the same key. */
  replace(task: Task<T>): void {
    if (this.#lifetime.isOver) return;
    this.#queued = null;
    if (this.#running?.task.key === task.key) return;
    this.#running?.abort.abort();
    void this.#start(task);
  }

  /**
   * For a newer answer to the same request: runs the task after the running one. Aborting would
   * starve a screen whose answers take longer than new data takes to arrive.
   */
  follow(task: Task<T>): void {
    if (this.#lifetime.isOver) return;
    if (this.#running === null) void this.#start(task);
    else this.#queued = task;
  }

  stop(): void {
    this.#queued = null;
    this.#running?.abort.abort();
    if (this.#running === null) return;
    this.#running = null;
    this.#changed(false);
  }

  async #start(task: Task<T>): Promise<void> {
    const running = { task, abort: new AbortController() };
    this.#running = running;
    this.#changed(true);
    let deliver: () => void;
    try {
      const value = await task.load(running.abort.signal);
      deliver = () => task.done(value);
    } catch (error) {
      deliver = () => task.failed(error);
    }
    if (this.#running !== running) return;
    const next = this.#queued;
    this.#running = null;
    this.#queued = null;
    deliver();
    // `done` may have started a task, which takes precedence over the queued one.
    if (this.#running !== null) return;
    if (next === null) this.#changed(false);
    else void this.#start(next);
  }
}
