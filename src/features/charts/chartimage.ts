/** A chart as an image file, with its title and legend. */
import type { ChartData, Series } from '../../state/charts/chartdata';
import { formatValue } from '../../state/charts/units';
import type { Size } from '../plot/axes';
import { drawOnCanvas } from '../plot/canvaspen';
import { colourIn } from '../plot/palette';
import type { Pen } from '../plot/pen';
import { SvgPen } from '../plot/svgpen';
import { shownSeries } from './layout';
import { paintChart, TERM_ROW_PX } from './paint';
import { dashOf, type Picture } from './picture';

const FONT_PX = 12;
const PADDING_PX = 16;
const TITLE_PX = 28;
const LEGEND_ROW_PX = 20;
/** Device pixels per pixel, because images are also enlarged and printed. */
const PNG_DENSITY = 2;

export interface ChartImage extends Picture {
  readonly title: string;
  /** The case, filter, range and zone that the chart shows. */
  readonly about: string;
}

interface LegendEntry {
  readonly label: string;
  readonly series: Series;
  readonly x: number;
  readonly row: number;
}

export function pngOf(image: ChartImage): Promise<Blob | null> {
  const canvas = document.createElement('canvas');
  const font = `${FONT_PX}px ${image.palette.fontFamily}`;
  const size = { ...sizeOf(image), density: PNG_DENSITY };
  if (!drawOnCanvas(canvas, size, font, (pen) => paintImage(pen, image)))
    return Promise.resolve(null);
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
}

export function svgOf(image: ChartImage): string {
  const { widthPx, heightPx } = sizeOf(image);
  const pen = new SvgPen(FONT_PX);
  paintImage(pen, image);
  return pen.finish(widthPx, heightPx, image.palette.fontFamily, image.title);
}

function sizeOf(image: ChartImage): Size {
  const { rows } = legendOf(new SvgPen(FONT_PX), image);
  const plot = image.data.shape === 'terms' ? image.data.rows.length * TERM_ROW_PX : image.heightPx;
  return {
    widthPx: image.widthPx + 2 * PADDING_PX,
    heightPx: plot + TITLE_PX + LEGEND_ROW_PX * (rows + 1) + 2 * PADDING_PX,
  };
}

function paintImage(pen: Pen, image: ChartImage): void {
  const { palette, title, about } = image;
  const { widthPx, heightPx } = sizeOf(image);
  // Legend rows are measured with the same pen as the size, so that everything fits.
  const { entries, rows } = legendOf(new SvgPen(FONT_PX), image);
  pen.rect(0, 0, widthPx, heightPx, palette.ground);
  pen.within(PADDING_PX, PADDING_PX, null, () => {
    pen.text(0, 8, title, { colour: palette.strong, bold: true });
    pen.text(0, TITLE_PX, about, { colour: palette.text });
    for (const { label, series, x, row } of entries) {
      const y = TITLE_PX + LEGEND_ROW_PX * (row + 1);
      paintLegendSymbol(pen, image, series, x, y);
      pen.text(x + 16, y, label, { colour: palette.strong });
    }
    pen.within(0, TITLE_PX + LEGEND_ROW_PX * (rows + 1), null, () => paintChart(pen, image));
  });
}

function paintLegendSymbol(
  pen: Pen,
  { data, palette }: ChartImage,
  series: Series,
  x: number,
  y: number,
): void {
  const colour = data.shape === 'heat' ? palette.strong : colourIn(palette, series.colour);
  if (series.dash === undefined) return pen.rect(x, y - 5, 10, 10, colour);
  pen.line(
    [
      { x, y },
      { x: x + 12, y },
    ],
    { colour, dash: dashOf(series) },
  );
}

function seriesOf(data: ChartData): readonly Series[] {
  if (data.shape === 'time' || data.shape === 'bins') return data.series;
  return data.shape === 'heat' ? data.lines : [];
}

function legendOf(
  ruler: Pen,
  { data, hidden, widthPx }: ChartImage,
): { entries: LegendEntry[]; rows: number } {
  const unit = data.shape === 'time' || data.shape === 'heat' ? data.unit : 'plain';
  let [x, row] = [0, 0];
  const entries = shownSeries(seriesOf(data), hidden).map((series): LegendEntry => {
    const whole = series.whole === null ? '' : ` ${formatValue(series.whole, unit)}`;
    const label = `${series.name}${whole}`;
    const width = ruler.textWidth(label) + 34;
    if (x > 0 && x + width > widthPx) [x, row] = [0, row + 1];
    const entry = { label, series, x, row };
    x += width;
    return entry;
  });
  return { entries, rows: entries.length === 0 ? 0 : row + 1 };
}
