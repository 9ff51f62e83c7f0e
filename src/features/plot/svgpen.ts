import type { LineStyle, Pen, Point, TextStyle } from './pen';

/** The average width of a letter as a share of its height; a file cannot measure text. */
const LETTER_WIDTH = 0.56;

/** Writes a drawing as SVG, for files only. */
export class SvgPen implements Pen {
  readonly #parts: string[] = [];
  readonly #fontPx: number;
  #clips = 0;

  constructor(fontPx: number) {
    this.#fontPx = fontPx;
  }

  rect(x: number, y: number, width: number, height: number, colour: string, alpha = 1): void {
    const opacity = alpha === 1 ? '' : ` fill-opacity="${number(alpha)}"`;
    this.#parts.push(
      `<rect x="${number(x)}" y="${number(y)}" width="${number(Math.max(0, width))}" ` +
        `height="${number(Math.max(0, height))}" fill="${escaped(colour)}"${opacity}/>`,
    );
  }

  line(points: readonly Point[], { colour, widthPx = 1.5, dash = [], alpha = 1 }: LineStyle): void {
    const path = points.map(({ x, y }) => `${number(x)},${number(y)}`).join(' ');
    const dashes = dash.length === 0 ? '' : ` stroke-dasharray="${dash.map(number).join(' ')}"`;
    const opacity = alpha === 1 ? '' : ` stroke-opacity="${number(alpha)}"`;
    this.#parts.push(
      `<polyline points="${path}" fill="none" stroke="${escaped(colour)}" stroke-width="${number(widthPx)}" ` +
        `stroke-linejoin="round" stroke-linecap="round"${dashes}${opacity}/>`,
    );
  }

  text(x: number, y: number, text: string, style: TextStyle): void {
    const anchor = { left: 'start', center: 'middle', right: 'end' }[style.align ?? 'left'];
    // Not every viewer supports baselines, so the text is moved instead.
    const shift = { top: 0.8, middle: 0.35, bottom: -0.2 }[style.baseline ?? 'middle'];
    const weight = style.bold === true ? ' font-weight="600"' : '';
    this.#parts.push(
      `<text x="${number(x)}" y="${number(y + shift * this.#fontPx)}" text-anchor="${anchor}" ` +
        `fill="${escaped(style.colour)}"${weight}>${escaped(text)}</text>`,
    );
  }

  textWidth(text: string): number {
    return text.length * this.#fontPx * LETTER_WIDTH;
  }

  within(
    x: number,
    y: number,
    clip: { readonly width: number; readonly height: number } | null,
    draw: () => void,
  ): void {
    let reference = '';
    if (clip !== null) {
      const id = `clip${(this.#clips += 1)}`;
      const box = `width="${number(clip.width)}" height="${number(clip.height)}"`;
      this.#parts.push(`<clipPath id="${id}"><rect ${box}/></clipPath>`);
      reference = ` clip-path="url(#${id})"`;
    }
    // The clip path uses the moved coordinates, so it is set on the group that is moved.
    this.#parts.push(`<g transform="translate(${number(x)} ${number(y)})"${reference}>`);
    draw();
    this.#parts.push('</g>');
  }

  finish(widthPx: number, heightPx: number, fontFamily: string, title: string): string {
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" width="${widthPx}" height="${heightPx}" ` +
      `viewBox="0 0 ${widthPx} ${heightPx}" font-family="${escaped(fontFamily)}" font-size="${this.#fontPx}">` +
      `<title>${escaped(title)}</title>${this.#parts.join('')}</svg>\n`
    );
  }
}

function number(value: number): string {
  return String(Math.round(value * 100) / 100);
}

/* eslint-disable no-control-regex -- XML has no way to write these */
const UNWRITABLE =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Escapes log text for markup. */
export function escaped(text: string): string {
  return text
    .replace(UNWRITABLE, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
