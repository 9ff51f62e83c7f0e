import type { Lifetime } from '../../base/lifetime';
import { Timer } from '../../base/timer';

/** The result of an import is shown this long before the list collapses. */
export const SHOWN_MS = 4_000;

/** How often a collapse that would move something under the pointer is tried again. */
const AGAIN_MS = 500;

/**
 * Whether the files of the imports are listed. They are while files are read; a little later the
 * list collapses by itself, but never if it would move something under the pointer, and at once
 * when a person continues with other work.
 */
export class FileListState {
  /** What a person chose; until then the files show while they are being read. */
  #wished = $state<boolean | null>(null);
  #isShown = $state(false);
  #isReading = false;
  readonly #timer: Timer;
  readonly #isInTheWay: () => boolean;

  /** `isInTheWay`: whether collapsing would move something under a person's pointer. */
  constructor(lifetime: Lifetime, isInTheWay: () => boolean) {
    this.#timer = new Timer(lifetime);
    this.#isInTheWay = isInTheWay;
  }

  get isOpen(): boolean {
    return this.#wished ?? this.#isShown;
  }

  /** Sets whether an import is running. */
  show(isReading: boolean): void {
    const [began, ended] = [isReading && !this.#isReading, !isReading && this.#isReading];
    this.#isReading = isReading;
    if (began) {
      this.#timer.stop();
      this.#isShown = true;
      // A list that a person opened collapses with the next import.
      if (this.#wished === true) this.#wished = null;
    }
    if (ended) this.#timer.start(() => this.#fold(), SHOWN_MS);
  }

  /** A person works with the events, so the result was seen. */
  goOn(): void {
    if (this.#isReading) return;
    this.#timer.stop();
    this.#isShown = false;
  }

  toggle(): void {
    this.#wished = !this.isOpen;
  }

  #fold(): void {
    if (this.#isInTheWay()) this.#timer.start(() => this.#fold(), AGAIN_MS);
    else this.#isShown = false;
  }
}
