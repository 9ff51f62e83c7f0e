/** What pictures are drawn with, so that the screen, PNG and SVG show the same one. */

export interface TextStyle {
  readonly colour: string;
  readonly align?: 'left' | 'center' | 'right';
  readonly baseline?: 'top' | 'middle' | 'bottom';
  readonly bold?: boolean;
}

export interface LineStyle {
  readonly colour: string;
  readonly widthPx?: number;
  readonly dash?: readonly number[];
  readonly alpha?: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Pen {
  rect(x: number, y: number, width: number, height: number, colour: string, alpha?: number): void;
  line(points: readonly Point[], style: LineStyle): void;
  text(x: number, y: number, text: string, style: TextStyle): void;
  textWidth(text: string): number;
  /** Draws with the origin moved, and where `clip` is given only inside of so much. */
  within(
    x: number,
    y: number,
    clip: { readonly width: number; readonly height: number } | null,
    draw: () => void,
  ): void;
}

export class CanvasPen implements Pen {
  readonly #context: CanvasRenderingContext2D;
  readonly #font: string;

  constructor(context: CanvasRenderingContext2D, font: string) {
    this.#context = context;
    this.#font = font;
    context.font = font;
    context.lineJoin = 'round';
    context.lineCap = 'round';
  }

  rect(x: number, y: number, width: number, height: number, colour: string, alpha = 1): void {
    this.#context.globalAlpha = alpha;
    this.#context.fillStyle = colour;
    this.#context.fillRect(x, y, width, height);
    this.#context.globalAlpha = 1;
  }

  line(points: readonly Point[], { colour, widthPx = 1.5, dash = [], alpha = 1 }: LineStyle): void {
    const context = this.#context;
    context.beginPath();
    points.forEach(({ x, y }, at) => (at === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
    context.globalAlpha = alpha;
    context.strokeStyle = colour;
    context.lineWidth = widthPx;
    context.setLineDash([...dash]);
    context.stroke();
    context.setLineDash([]);
    context.globalAlpha = 1;
  }

  text(x: number, y: number, text: string, style: TextStyle): void {
    const context = this.#context;
    context.font = style.bold === true ? `600 ${this.#font}` : this.#font;
    context.fillStyle = style.colour;
    context.textAlign = style.align ?? 'left';
    context.textBaseline = style.baseline ?? 'middle';
    context.fillText(text, x, y);
    context.font = this.#font;
  }

  textWidth(text: string): number {
    return this.#context.measureText(text).width;
  }

  within(
    x: number,
    y: number,
    clip: { readonly width: number; readonly height: number } | null,
    draw: () => void,
  ): void {
    const context = this.#context;
    context.save();
    context.translate(x, y);
    if (clip !== null) {
      context.beginPath();
      context.rect(0, 0, clip.width, clip.height);
      context.clip();
    }
    draw();
    context.restore();
  }
}
