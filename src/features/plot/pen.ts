/** The one drawing interface of charts and timeline. Outputs: a canvas (also for PNG) and SVG. */

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
  /** Draws with the origin moved to a point, clipped to a size where `clip` is given. */
  within(
    x: number,
    y: number,
    clip: { readonly width: number; readonly height: number } | null,
    draw: () => void,
  ): void;
}
