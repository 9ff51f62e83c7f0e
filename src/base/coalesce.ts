import type { Lifetime } from './lifetime';
import { Timer } from './timer';

/**
 * Runs an action at most once per interval: immediately if the last run is long ago, and always once
 * more after the last request, so that the newest state is never missed.
 */
export class Coalesced {
  readonly #action: () => void;
  readonly #intervalMs: number;
  readonly #lifetime: Lifetime;
  readonly #timer: Timer;
  #again = false;

  constructor(lifetime: Lifetime, action: () => void, intervalMs: number) {
    this.#lifetime = lifetime;
    this.#timer = new Timer(lifetime);
    this.#action = action;
    this.#intervalMs = intervalMs;
  }

  request(): void {
    if (this.#lifetime.isOver) return;
    if (this.#timer.isRunning) {
      this.#again = true;
      return;
    }
    this.#timer.start(() => this.#elapsed(), this.#intervalMs);
    this.#action();
  }

  stop(): void {
    this.#timer.stop();
    this.#again = false;
  }

  #elapsed(): void {
    if (!this.#again) return;
    this.#again = false;
    this.request();
  }
}
