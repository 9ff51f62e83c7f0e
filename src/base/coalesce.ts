/**
 * Runs an action at most once an interval, at once when it is quiet, and always once more after the
 * last request, so that the newest state is never missed.
 */
export class Coalesced {
  readonly #action: () => void;
  readonly #intervalMs: number;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #again = false;

  constructor(action: () => void, intervalMs: number) {
    this.#action = action;
    this.#intervalMs = intervalMs;
  }

  request(): void {
    if (this.#timer !== null) {
      this.#again = true;
      return;
    }
    this.#timer = setTimeout(() => this.#elapsed(), this.#intervalMs);
    this.#action();
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#again = false;
  }

  #elapsed(): void {
    this.#timer = null;
    if (!this.#again) return;
    this.#again = false;
    this.request();
  }
}
