/**
 * Rows of one height in a scroll container that may be far too short for them.
 *
 * Browsers cap the height of an element (about 33 million px in Chromium, 17 million in Firefox), so
 * past `capPx` the scrollbar runs over a compressed space. The position is kept here, in pixels of
 * the full list (a double counts those exactly far beyond 100 million rows), and the scrollbar only
 * shows about where it is: a drag of its thumb jumps, everything else steps exactly. The ends of the
 * scrollbar and of the list are the same places, always.
 */
export const SCROLL_CAP_PX = 8_000_000;

export class ScrollSpace {
  #rowPx: number;
  readonly #capPx: number;
  #rows = 0;
  #viewportPx = 0;
  #topPx = 0;
  /** What the element's scrollTop should be; a different one means that a person moved it. */
  #scrollTop = 0;

  constructor(rowPx: number, capPx: number = SCROLL_CAP_PX) {
    this.#rowPx = rowPx;
    this.#capPx = capPx;
  }

  get rowPx(): number {
    return this.#rowPx;
  }

  /** Height of the element inside the scroll container. */
  get heightPx(): number {
    return Math.min(this.#fullPx, this.#capPx);
  }

  get compressed(): boolean {
    return this.#fullPx > this.#capPx;
  }

  get scrollTop(): number {
    return this.#scrollTop;
  }

  /** The first row that is seen, if only in part. */
  get firstRow(): number {
    return Math.floor(this.#topPx / this.rowPx);
  }

  /** How much of the first row is above the edge. */
  get offsetPx(): number {
    return this.#topPx - this.firstRow * this.rowPx;
  }

  /** The last row that is seen, if only in part; -1 when there is none. */
  get lastRow(): number {
    return Math.min(Math.ceil((this.#topPx + this.#viewportPx) / this.rowPx), this.#rows) - 1;
  }

  /** Rows that fit whole. */
  get wholeRows(): number {
    return Math.max(1, Math.floor(this.#viewportPx / this.rowPx));
  }

  /**
   * The list or the window has another size; the place in the list stays. A row that was wholly in
   * sight and is to be kept there stays in sight, so that what opens below the list does not hide it.
   */
  resize(rows: number, viewportPx: number, kept: number | null = null): void {
    const wasSeen = kept !== null && this.#sees(kept);
    this.#rows = rows;
    this.#viewportPx = viewportPx;
    this.#moveTo(this.#topPx);
    if (wasSeen) this.reveal(kept);
  }

  /** The element has been scrolled. True when that changed the position. */
  scrolled(scrollTop: number): boolean {
    const moved = scrollTop - this.#scrollTop;
    // Browsers round scrollTop to device pixels; an echo of our own setting is no movement.
    if (Math.abs(moved) < 1) return false;
    if (!this.compressed) this.#moveTo(scrollTop);
    else if (scrollTop <= 0) this.#moveTo(0);
    else if (scrollTop >= this.#mostScroll - 1) this.#moveTo(this.#mostPx);
    // A thumb cannot be dragged by less than a screen of a compressed list: a small step was made
    // by a wheel, a finger or an arrow, and means these very pixels.
    else if (Math.abs(moved) <= this.#viewportPx) this.by(moved);
    else this.#moveTo((scrollTop / this.#mostScroll) * this.#mostPx);
    return true;
  }

  /** Moves by pixels of the list. */
  by(px: number): void {
    this.#moveTo(this.#topPx + px);
  }

  /** Moves as little as brings a row wholly into sight. */
  reveal(row: number): void {
    const top = row * this.rowPx;
    const bottom = top + this.rowPx;
    if (top < this.#topPx) this.#moveTo(top);
    else if (bottom > this.#topPx + this.#viewportPx) this.#moveTo(bottom - this.#viewportPx);
  }

  /** Puts a row a third of the way down, unless it is wholly in sight already. */
  goTo(row: number): void {
    const top = row * this.rowPx;
    if (!this.#sees(row)) this.#moveTo(top - Math.floor(this.wholeRows / 3) * this.rowPx);
  }

  /** Rows have another height; the one at the top stays there. */
  rescale(rowPx: number): void {
    if (rowPx === this.#rowPx) return;
    const row = this.#topPx / this.#rowPx;
    this.#rowPx = rowPx;
    this.#moveTo(row * rowPx);
  }

  toTop(): void {
    this.#moveTo(0);
  }

  #sees(row: number): boolean {
    const top = row * this.rowPx;
    return top >= this.#topPx && top + this.rowPx <= this.#topPx + this.#viewportPx;
  }

  get #fullPx(): number {
    return this.#rows * this.rowPx;
  }

  get #mostPx(): number {
    return Math.max(0, this.#fullPx - this.#viewportPx);
  }

  get #mostScroll(): number {
    return Math.max(0, this.heightPx - this.#viewportPx);
  }

  #moveTo(topPx: number): void {
    this.#topPx = Math.min(Math.max(topPx, 0), this.#mostPx);
    this.#scrollTop = this.#scrollTopFor(this.#topPx);
  }

  #scrollTopFor(topPx: number): number {
    if (!this.compressed) return topPx;
    if (topPx <= 0) return 0;
    if (topPx >= this.#mostPx) return this.#mostScroll;
    // Never quite at an end unless the list is, so that there is always room to scroll on. Two
    // pixels, because one can be lost to rounding.
    const scaled = Math.round((topPx / this.#mostPx) * this.#mostScroll);
    return Math.min(Math.max(scaled, 2), this.#mostScroll - 2);
  }
}
