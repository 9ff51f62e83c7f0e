/** One piece of asynchronous work and what becomes of it. */
export interface Task<T> {
  /** Two tasks with the same key ask for the same thing. */
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
 * Keyed asynchronous work of which only the latest counts.
 *
 * An answer that was overtaken is never delivered, so a slow old answer cannot replace a fast new
 * one. What is shown stays with the caller, who keeps it until `done` brings something better.
 */
export class Latest<T> {
  #running: Running<T> | null = null;
  #queued: Task<T> | null = null;
  readonly #changed: (busy: boolean) => void;

  constructor(changed: (busy: boolean) => void = () => {}) {
    this.#changed = changed;
  }

  get busy(): boolean {
    return this.#running !== null;
  }

  /** A person asked for something else: what runs is stopped, unless it is the same. */
  replace(task: Task<T>): void {
    this.#queued = null;
    if (this.#running?.task.key === task.key) return;
    this.#running?.abort.abort();
    void this.#start(task);
  }

  /**
   * The same question has a newer answer: it is asked once what runs has finished. Stopping what
   * runs instead would starve a screen whose answers take longer than new data takes to arrive.
   */
  follow(task: Task<T>): void {
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
    // `done` may itself have asked for something, which then counts more than what was queued.
    if (this.#running !== null) return;
    if (next === null) this.#changed(false);
    else void this.#start(next);
  }
}
