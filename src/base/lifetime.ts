/**
 * How long a part of the screen may have work under way.
 *
 * Everything that runs later than the call that started it (`Latest`, `Coalesced`, `Timer`) needs a
 * lifetime to be constructed, and registers itself there. So ending the lifetime ends all of it, and
 * no list of parts has to be kept in step.
 */
export class Lifetime {
  #ends: Set<() => void> | null = new Set();

  get isOver(): boolean {
    return this.#ends === null;
  }

  /** Runs an action at the end, or at once if this lifetime is over. Returns what unregisters it. */
  onEnd(action: () => void): () => void {
    const ends = this.#ends;
    if (ends === null) action();
    else ends.add(action);
    return () => void this.#ends?.delete(action);
  }

  /** A lifetime that ends with this one, or earlier. */
  child(): Lifetime {
    const child = new Lifetime();
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
