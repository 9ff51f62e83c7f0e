/** A drawing as an image file, with its title and what it is about above it. */
import { drawOnCanvas } from './canvaspen';
import type { Palette } from './palette';
import type { Pen } from './pen';
import { SvgPen } from './svgpen';

const FONT_PX = 12;
const PADDING_PX = 16;
const HEAD_PX = 48;
/** Device pixels per pixel, because images are also enlarged and printed. */
const PNG_DENSITY = 2;
/** Browsers refuse larger canvases. */
const MOST_PNG_PX = 16_000;

export interface PictureImage {
  readonly title: string;
  /** The case, filter, range and zone that it shows. */
  readonly about: string;
  readonly widthPx: number;
  readonly heightPx: number;
  readonly palette: Palette;
  readonly paint: (pen: Pen, palette: Palette) => void;
}

export function pngOfPicture(image: PictureImage): Promise<Blob | null> {
  const canvas = document.createElement('canvas');
  const { widthPx, heightPx } = sizeOf(image);
  const density = Math.min(PNG_DENSITY, MOST_PNG_PX / Math.max(widthPx, heightPx));
  const font = `${FONT_PX}px ${image.palette.fontFamily}`;
  if (!drawOnCanvas(canvas, { widthPx, heightPx, density }, font, (pen) => paintImage(pen, image)))
    return Promise.resolve(null);
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
}

export function svgOfPicture(image: PictureImage): string {
  const { widthPx, heightPx } = sizeOf(image);
  const pen = new SvgPen(FONT_PX);
  paintImage(pen, image);
  return pen.finish(widthPx, heightPx, image.palette.fontFamily, image.title);
}

function sizeOf({ widthPx, heightPx }: PictureImage) {
  return { widthPx: widthPx + 2 * PADDING_PX, heightPx: heightPx + HEAD_PX + 2 * PADDING_PX };
}

function paintImage(pen: Pen, image: PictureImage): void {
  const { palette, title, about, paint } = image;
  const { widthPx, heightPx } = sizeOf(image);
  pen.rect(0, 0, widthPx, heightPx, palette.ground);
  pen.within(PADDING_PX, PADDING_PX, null, () => {
    pen.text(0, 8, title, { colour: palette.strong, bold: true });
    pen.text(0, 28, about, { colour: palette.text });
    pen.within(0, HEAD_PX, null, () => paint(pen, palette));
  });
}
