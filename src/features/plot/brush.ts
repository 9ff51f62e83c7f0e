/** A microsecond is the shortest range that a zoom selects. */
export const FINEST_NS = 1000n;

/** Buckets from `first` to `last`, both included. */
export interface BucketSpan {
  readonly first: number;
  readonly last: number;
}

/** A press that moves less than this is a click, not a drag. */
const DRAG_PX = 4;

/**
 * Selects a range of buckets by drag or by keys.
 *
 * A selection always has whole buckets: what is shown as a count is what gets selected. Without the
 * DOM; the component passes pixels and keys and draws `selection`.
 */
export class Brush {
  #buckets = 0;
  #widthPx = 1;
  #offsetPx = 0;
  #bucketPx = 1;
  /** Where the pointer was pressed, while it is pressed. */
  #pressedPx: number | null = null;
  #dragging = false;
  /** The bucket at which a selection by keys or drag began. */
  #anchor: number | null = null;
  #cursor: number | null = null;

  /** Sets the geometry of the buckets: the first begins at `offsetPx`, which can be left of the plot. */
  layout(buckets: number, bucketPx: number, offsetPx: number, widthPx: number): void {
    this.#buckets = buckets;
    this.#bucketPx = bucketPx;
    this.#offsetPx = offsetPx;
    this.#widthPx = widthPx;
    const last = buckets - 1;
    if (this.#cursor !== null) this.#cursor = last < 0 ? null : Math.min(this.#cursor, last);
    if (this.#anchor !== null) this.#anchor = last < 0 ? null : Math.min(this.#anchor, last);
  }

  get dragging(): boolean {
    return this.#dragging;
  }

  get cursor(): number | null {
    return this.#cursor;
  }

  /** The selected range, if it is more than the cursor. */
  get selection(): BucketSpan | null {
    if (this.#anchor === null || this.#cursor === null) return null;
    if (this.#pressedPx !== null && !this.#dragging) return null;
    return {
      first: Math.min(this.#anchor, this.#cursor),
      last: Math.max(this.#anchor, this.#cursor),
    };
  }

  /** The bucket at a pixel; null outside all buckets. */
  bucketAt(px: number): number | null {
    const bucket = Math.floor((px - this.#offsetPx) / this.#bucketPx);
    return bucket >= 0 && bucket < this.#buckets && px >= 0 && px <= this.#widthPx ? bucket : null;
  }

  down(px: number): void {
    if (this.#buckets === 0) return;
    this.#pressedPx = px;
    this.#dragging = false;
    this.#anchor = this.#nearest(px);
    this.#cursor = this.#anchor;
  }

  move(px: number): void {
    if (this.#pressedPx === null) return;
    if (Math.abs(px - this.#pressedPx) >= DRAG_PX) this.#dragging = true;
    if (this.#dragging) this.#cursor = this.#nearest(px);
  }

  /** The end of a press: the dragged range, or null for a click, which only sets the cursor. */
  up(px: number): BucketSpan | null {
    this.move(px);
    const selected = this.#dragging ? this.selection : null;
    this.#pressedPx = null;
    this.#dragging = false;
    this.#anchor = null;
    if (selected !== null) this.#cursor = null;
    return selected;
  }

  /** Escape: true if there was something to cancel. */
  cancel(): boolean {
    const had = this.#pressedPx !== null || this.#anchor !== null || this.#cursor !== null;
    this.#pressedPx = null;
    this.#dragging = false;
    this.#anchor = null;
    this.#cursor = null;
    return had;
  }

  /** Moves the cursor by keys; `select` extends the selection. */
  step(by: number, select: boolean): void {
    if (this.#buckets === 0) return;
    const from = this.#cursor ?? (by > 0 ? -1 : this.#buckets);
    const to = Math.min(Math.max(from + by, 0), this.#buckets - 1);
    if (!select) this.#anchor = null;
    else this.#anchor ??= this.#cursor ?? to;
    this.#cursor = to;
  }

  /** Enter: the selection by keys, otherwise the bucket under the cursor. */
  commit(): BucketSpan | null {
    if (this.#cursor === null) return null;
    const span = this.selection ?? { first: this.#cursor, last: this.#cursor };
    this.cancel();
    return span;
  }

  #nearest(px: number): number {
    const inside = Math.min(Math.max(px, 0), this.#widthPx);
    const bucket = Math.floor((inside - this.#offsetPx) / this.#bucketPx);
    return Math.min(Math.max(bucket, 0), this.#buckets - 1);
  }
}
