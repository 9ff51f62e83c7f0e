import type { Lifetime } from '../../base/lifetime';
import { Timer } from '../../base/timer';

/** What an import has brought is told for so long before it is folded away. */
export const SHOWN_MS = 4_000;

/** So long after it was last in the way, what is folded away is looked at again. */
const AGAIN_MS = 500;

/**
 * Whether the files of the imports are listed. They are while something is read, and are folded away by
 * themselves a little after the end, but never under a pointer, because what stands above them moves; and
 * at once when a person goes on to something else.
 */
export class FileListState {
  /** What a person wished; until then the files show while there is something to see in them. */
  #wished = $state<boolean | null>(null);
  #isShown = $state(false);
  #isReading = false;
  readonly #timer: Timer;
  readonly #isInTheWay: () => boolean;

  /** Asked whether folding would move something under a person's pointer. */
  constructor(lifetime: Lifetime, isInTheWay: () => boolean) {
    this.#timer = new Timer(lifetime);
    this.#isInTheWay = isInTheWay;
  }

  get isOpen(): boolean {
    return this.#wished ?? this.#isShown;
  }

  /** Says how the imports stand. */
  show(isReading: boolean): void {
    const [began, ended] = [isReading && !this.#isReading, !isReading && this.#isReading];
    this.#isReading = isReading;
    if (began) {
      this.#timer.stop();
      this.#isShown = true;
      // Files that were opened to be read once need not stay open for ever.
      if (this.#wished === true) this.#wished = null;
    }
    if (ended) this.#timer.start(() => this.#fold(), SHOWN_MS);
  }

  /** A person does something with the events: what was told has been seen. */
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
