/**
 * Where the buckets of a chart stand: stretches of pixels side by side that need not be equally wide,
 * because months and bins are not. The brush knows buckets of one width only; `toBand` gives it a
 * ruler on which they are.
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

  /** What of a slot is inside of the plot, on whole pixels. */
  slotPx(at: number): { readonly x: number; readonly width: number } {
    const inside = (px: number) => Math.round(Math.min(Math.max(px, 0), this.widthPx));
    const [left, right] = [inside(this.edgesPx[at] ?? 0), inside(this.edgesPx[at + 1] ?? 0)];
    return { x: left, width: Math.max(1, right - left) };
  }

  middlePx(at: number): number {
    return ((this.edgesPx[at] ?? 0) + (this.edgesPx[at + 1] ?? 0)) / 2;
  }

  /** The slot at a pixel; null outside of all of them. */
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

  /** How wide a slot is on the ruler on which all are equally wide. */
  get bandPx(): number {
    const [first, last] = [this.edgesPx[0] ?? 0, this.edgesPx.at(-1) ?? 0];
    return Math.max(0.001, (last - first) / Math.max(1, this.count));
  }

  /** A pixel of the plot on that ruler, which begins with the first slot. */
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
