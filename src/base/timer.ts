import type { Lifetime } from './lifetime';

/** One delayed action. Starting it again replaces it; the end of its lifetime stops it. */
export class Timer {
  readonly #lifetime: Lifetime;
  #handle: ReturnType<typeof setTimeout> | undefined;

  constructor(lifetime: Lifetime) {
    this.#lifetime = lifetime;
    lifetime.onEnd(() => this.stop());
  }

  /** Whether an action is pending. */
  get isRunning(): boolean {
    return this.#handle !== undefined;
  }

  start(action: () => void, delayMs: number): void {
    this.stop();
    if (this.#lifetime.isOver) return;
    this.#handle = setTimeout(() => {
      this.#handle = undefined;
      action();
    }, delayMs);
  }

  stop(): void {
    clearTimeout(this.#handle);
    this.#handle = undefined;
  }
}
