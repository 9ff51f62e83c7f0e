/** From this width on, a bar leaves a gap to the next one. */
const GAP_FROM_PX = 3;

/**
 * The pixel positions of a chart's buckets. Slots can differ in width, because months and bins do.
 * The brush assumes equal widths; `toBand` converts a pixel to an axis on which all slots are equal.
 */
export class Slots {
  readonly edgesPx: readonly number[];
  readonly widthPx: number;

  constructor(edgesPx: readonly number[], widthPx: number) {
    this.edgesPx = edgesPx;
    this.widthPx = widthPx;
  }

  get count(): number {
    return Math.max(0, this.edgesPx.length - 1);
  }

  /** The part of a slot that is inside the plot, on whole pixels; width 0 if none is. */
  slotPx(at: number): { readonly x: number; readonly width: number } {
    if ((this.edgesPx[at] ?? 0) > this.widthPx || (this.edgesPx[at + 1] ?? 0) < 0)
      return { x: 0, width: 0 };
    const inside = (px: number) => Math.round(Math.min(Math.max(px, 0), this.widthPx));
    const [left, right] = [inside(this.edgesPx[at] ?? 0), inside(this.edgesPx[at + 1] ?? 0)];
    return { x: left, width: Math.max(1, right - left) };
  }

  /** A slot without the gap to the next bar. */
  barPx(at: number): { readonly x: number; readonly width: number } {
    const { x, width } = this.slotPx(at);
    return { x, width: width >= GAP_FROM_PX ? width - 1 : width };
  }

  middlePx(at: number): number {
    return ((this.edgesPx[at] ?? 0) + (this.edgesPx[at + 1] ?? 0)) / 2;
  }

  /** The slot at a pixel; null outside all slots. */
  slotAt(px: number): number | null {
    const [first, last] = [this.edgesPx[0], this.edgesPx.at(-1)];
    if (first === undefined || last === undefined || px < first || px >= last) return null;
    if (px < 0 || px > this.widthPx) return null;
    let [low, high] = [0, this.count - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.edgesPx[middle]! <= px) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The width of every slot on the axis of equal slots. */
  get bandPx(): number {
    const [first, last] = [this.edgesPx[0] ?? 0, this.edgesPx.at(-1) ?? 0];
    return Math.max(0.001, (last - first) / Math.max(1, this.count));
  }

  /** Converts a pixel of the plot to the axis of equal slots, which begins with the first slot. */
  toBand(px: number): number {
    const [first, last] = [this.edgesPx[0] ?? 0, this.edgesPx.at(-1) ?? 0];
    if (px <= first) return px - first;
    if (px >= last) return this.bandPx * this.count + (px - last);
    let at = 0;
    while (at < this.count - 1 && this.edgesPx[at + 1]! <= px) at += 1;
    const [left, right] = [this.edgesPx[at]!, this.edgesPx[at + 1]!];
    return (at + (px - left) / Math.max(0.001, right - left)) * this.bandPx;
  }
}
