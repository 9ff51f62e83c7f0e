import type { Lifetime } from '../../base/lifetime';
import { Timer } from '../../base/timer';

/** A short message that something was done, with what a person may want next. */
export interface Confirmation {
  readonly text: string;
  readonly next?: { readonly name: string; readonly run: () => void };
}

/** Long enough to read a line and to click what it offers. */
export const SHOWN_MS = 6_000;

/** Messages that a copy, an export or an addition is done. The latest one is shown, and ends by itself. */
export class Confirmations {
  current = $state.raw<Confirmation | null>(null);

  readonly #ending: Timer;

  constructor(lifetime: Lifetime) {
    this.#ending = new Timer(lifetime);
  }

  say(text: string, next?: Confirmation['next']): void {
    this.current = next === undefined ? { text } : { text, next };
    this.release();
  }

  /** Shows the message for as long as the pointer or the focus is on it. */
  hold(): void {
    this.#ending.stop();
  }

  release(): void {
    this.#ending.start(() => (this.current = null), SHOWN_MS);
  }

  dismiss(): void {
    this.#ending.stop();
    this.current = null;
  }
}
