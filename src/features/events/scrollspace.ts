/**
 * Rows of one height in a scroll container that can be far too short for them.
 *
 * Browsers cap the height of an element (about 33 million px in Chromium, 17 million in Firefox),
 * so past `capPx` the scrollbar covers a compressed space. The position is kept here, in pixels of
 * the full list (a double is exact far beyond 100 million rows), and the scrollbar shows it only
 * approximately: a drag of its thumb jumps, everything else moves exactly. The ends of the
 * scrollbar and of the list always coincide.
 */
export const SCROLL_CAP_PX = 8_000_000;

export class ScrollSpace {
  #rowPx: number;
  readonly #capPx: number;
  #rows = 0;
  #viewportPx = 0;
  #topPx = 0;
  /** The expected scrollTop of the element; a different one means that a person moved it. */
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

  /** The first visible row, even if partly visible. */
  get firstRow(): number {
    return Math.floor(this.#topPx / this.rowPx);
  }

  /** How much of the first row is above the edge. */
  get offsetPx(): number {
    return this.#topPx - this.firstRow * this.rowPx;
  }

  /** The last visible row, even if partly visible; -1 if there is none. */
  get lastRow(): number {
    return Math.min(Math.ceil((this.#topPx + this.#viewportPx) / this.rowPx), this.#rows) - 1;
  }

  /** Rows that are fully visible. */
  get wholeRows(): number {
    return Math.max(1, Math.floor(this.#viewportPx / this.rowPx));
  }

  /**
   * The list or the window was resized; the position in the list stays. A row to keep stays in
   * sight if it was fully visible, so that a panel that opens below the list does not hide it.
   */
  resize(rows: number, viewportPx: number, kept: number | null = null): void {
    const wasSeen = kept !== null && this.#sees(kept);
    this.#rows = rows;
    this.#viewportPx = viewportPx;
    this.#moveTo(this.#topPx);
    if (wasSeen) this.reveal(kept);
  }

  /** The element was scrolled. True if that changed the position. */
  scrolled(scrollTop: number): boolean {
    const moved = scrollTop - this.#scrollTop;
    // Browsers round scrollTop to device pixels; an echo of our own value is no movement.
    if (Math.abs(moved) < 1) return false;
    if (!this.compressed) this.#moveTo(scrollTop);
    else if (scrollTop <= 0) this.#moveTo(0);
    else if (scrollTop >= this.#mostScroll - 1) this.#moveTo(this.#mostPx);
    // In a compressed list a thumb cannot be dragged by less than a screen: a small movement came
    // from a wheel, a finger or an arrow, and is taken as pixels of the list.
    else if (Math.abs(moved) <= this.#viewportPx) this.by(moved);
    else this.#moveTo((scrollTop / this.#mostScroll) * this.#mostPx);
    return true;
  }

  /** Moves by pixels of the list. */
  by(px: number): void {
    this.#moveTo(this.#topPx + px);
  }

  /** Moves as little as makes a row fully visible. */
  reveal(row: number): void {
    const top = row * this.rowPx;
    const bottom = top + this.rowPx;
    if (top < this.#topPx) this.#moveTo(top);
    else if (bottom > this.#topPx + this.#viewportPx) this.#moveTo(bottom - this.#viewportPx);
  }

  /** Puts a row at a third of the height, unless it is fully visible already. */
  goTo(row: number): void {
    const top = row * this.rowPx;
    if (!this.#sees(row)) this.#moveTo(top - Math.floor(this.wholeRows / 3) * this.rowPx);
  }

  /** The row height changed; the row at the top stays there. */
  rescale(rowPx: number): void {
    if (rowPx === this.#rowPx) return;
    const row = this.#topPx / this.#rowPx;
    this.#rowPx = rowPx;
    this.#moveTo(row * rowPx);
  }

  toTop(): void {
    this.#moveTo(0);
  }

  toEnd(): void {
    this.#moveTo(this.#mostPx);
  }

  /** Whether the first row is in sight. */
  get isAtTop(): boolean {
    return this.#topPx < this.rowPx;
  }

  /** Whether the last row is in sight. */
  get isAtEnd(): boolean {
    return this.#topPx > this.#mostPx - this.rowPx;
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
    // Never quite at an end unless the list is, so that there is always room to scroll. Two pixels,
    // because one can be lost to rounding.
    const scaled = Math.round((topPx / this.#mostPx) * this.#mostScroll);
    return Math.min(Math.max(scaled, 2), this.#mostScroll - 2);
  }
}
