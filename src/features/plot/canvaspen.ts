import type { LineStyle, Pen, Point, TextStyle } from './pen';

interface CanvasSize {
  readonly widthPx: number;
  readonly heightPx: number;
  /** Device pixels per pixel of the drawing. */
  readonly density: number;
}

/**
 * Sizes and clears a canvas, then draws on it in pixels of the drawing. Returns false if the browser
 * gives no drawing context.
 */
export function drawOnCanvas(
  canvas: HTMLCanvasElement,
  { widthPx, heightPx, density }: CanvasSize,
  font: string,
  draw: (pen: Pen) => void,
): boolean {
  const [width, height] = [Math.round(widthPx * density), Math.round(heightPx * density)];
  // Setting the size allocates a new buffer, so it is set only when it changes.
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const context = canvas.getContext('2d');
  if (context === null) return false;
  context.setTransform(density, 0, 0, density, 0, 0);
  context.clearRect(0, 0, widthPx, heightPx);
  draw(new CanvasPen(context, font));
  return true;
}

class CanvasPen implements Pen {
  readonly #context: CanvasRenderingContext2D;
  readonly #font: string;
  #fill: string | null = null;

  constructor(context: CanvasRenderingContext2D, font: string) {
    this.#context = context;
    this.#font = font;
    context.font = font;
    context.lineJoin = 'round';
    context.lineCap = 'round';
  }

  rect(x: number, y: number, width: number, height: number, colour: string, alpha = 1): void {
    this.#fillWith(colour);
    if (alpha !== 1) this.#context.globalAlpha = alpha;
    this.#context.fillRect(x, y, width, height);
    if (alpha !== 1) this.#context.globalAlpha = 1;
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
    this.#fillWith(style.colour);
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
    this.#fill = null;
  }

  /** Thousands of bars share a colour, and a canvas parses it at each assignment. */
  #fillWith(colour: string): void {
    if (this.#fill === colour) return;
    this.#context.fillStyle = colour;
    this.#fill = colour;
  }
}
