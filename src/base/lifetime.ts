/** The revisions of the data that parts of the screen show. A lifetime shares it with its children. */
class Growth {
  epoch = 0;
  readonly followers = new Set<() => void>();
}

/**
 * How long a part of the screen may have work under way, and the growth of the data that it shows.
 *
 * Everything that runs later than the call that started it (`Request`, `Coalesced`, `Timer`) needs a
 * lifetime to be constructed, and registers itself there. So ending the lifetime ends all of it, and
 * `grow` reaches all of it: no list of parts has to be kept in step.
 */
export class Lifetime {
  #ends: Set<() => void> | null = new Set();
  readonly #growth: Growth;

  constructor(growth = new Growth()) {
    this.#growth = growth;
  }

  get isOver(): boolean {
    return this.#ends === null;
  }

  /** Counts the states of the data. */
  get epoch(): number {
    return this.#growth.epoch;
  }

  /** The data has changed: everything that shows it follows. */
  grow(): void {
    if (this.isOver) return;
    this.#growth.epoch += 1;
    for (const follower of [...this.#growth.followers]) follower();
  }

  /** Runs an action whenever the data has changed, until the end. */
  onGrowth(action: () => void): void {
    if (this.isOver) return;
    this.#growth.followers.add(action);
    this.onEnd(() => this.#growth.followers.delete(action));
  }

  /** Runs an action at the end, or at once if this lifetime is over. Returns what unregisters it. */
  onEnd(action: () => void): () => void {
    const ends = this.#ends;
    if (ends === null) action();
    else ends.add(action);
    return () => void this.#ends?.delete(action);
  }

  /** A lifetime that ends with this one, or earlier, and follows the same data. */
  child(): Lifetime {
    const child = new Lifetime(this.#growth);
    child.onEnd(this.onEnd(() => child.end()));
    return child;
  }

  /** Ends everything that was registered, the latest first. A second call does nothing. */
  end(): void {
    const ends = [...(this.#ends ?? [])];
    this.#ends = null;
    for (const action of ends.toReversed()) action();
  }
}
