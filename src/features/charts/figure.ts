/** A chart as a picture of its own, to be taken away: with its title and its legend. */
import type { ChartData, Series } from '../../state/charts/chartdata';
import { formatValue } from '../../state/charts/units';
import { shownSeries, type Size } from './layout';
import { LINE_DASHES, paintChart, TERM_ROW_PX, type Picture } from './paint';
import { colourIn } from './palette';
import { CanvasPen, type Pen } from './pen';
import { SvgPen } from './svgpen';

const FONT_PX = 12;
const PADDING_PX = 16;
const TITLE_PX = 28;
const LEGEND_ROW_PX = 20;
/** A picture is also looked at enlarged, and printed. */
const PNG_DENSITY = 2;

export interface Figure extends Picture {
  readonly title: string;
  /** What the picture is of: filter, range, zone. */
  readonly about: string;
}

interface Entry {
  readonly label: string;
  readonly series: Series;
  readonly x: number;
  readonly row: number;
}

export function pngOf(figure: Figure): Promise<Blob | null> {
  const { widthPx, heightPx } = sizeOf(figure);
  const canvas = document.createElement('canvas');
  canvas.width = widthPx * PNG_DENSITY;
  canvas.height = heightPx * PNG_DENSITY;
  const context = canvas.getContext('2d');
  if (context === null) return Promise.resolve(null);
  context.scale(PNG_DENSITY, PNG_DENSITY);
  paintFigure(new CanvasPen(context, `${FONT_PX}px ${figure.palette.fontFamily}`), figure);
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
}

export function svgOf(figure: Figure): string {
  const { widthPx, heightPx } = sizeOf(figure);
  const pen = new SvgPen(FONT_PX);
  paintFigure(pen, figure);
  return pen.finish(widthPx, heightPx, figure.palette.fontFamily, figure.title);
}

function sizeOf(figure: Figure): Size {
  const { rows } = legendOf(new SvgPen(FONT_PX), figure);
  const plot =
    figure.data.shape === 'terms' ? figure.data.rows.length * TERM_ROW_PX : figure.heightPx;
  return {
    widthPx: figure.widthPx + 2 * PADDING_PX,
    heightPx: plot + TITLE_PX + LEGEND_ROW_PX * (rows + 1) + 2 * PADDING_PX,
  };
}

function paintFigure(pen: Pen, figure: Figure): void {
  const { palette, title, about } = figure;
  const { widthPx, heightPx } = sizeOf(figure);
  // Rows are counted with the same ruler as the size, so that nothing runs out of the picture.
  const { entries, rows } = legendOf(new SvgPen(FONT_PX), figure);
  pen.rect(0, 0, widthPx, heightPx, palette.ground);
  pen.within(PADDING_PX, PADDING_PX, null, () => {
    pen.text(0, 8, title, { colour: palette.strong, bold: true });
    pen.text(0, TITLE_PX, about, { colour: palette.text });
    for (const { label, series, x, row } of entries) {
      const y = TITLE_PX + LEGEND_ROW_PX * (row + 1);
      paintSign(pen, figure, series, x, y);
      pen.text(x + 16, y, label, { colour: palette.strong });
    }
    pen.within(0, TITLE_PX + LEGEND_ROW_PX * (rows + 1), null, () => paintChart(pen, figure));
  });
}

function paintSign(
  pen: Pen,
  { data, palette }: Figure,
  series: Series,
  x: number,
  y: number,
): void {
  if (data.shape !== 'heat') return pen.rect(x, y - 5, 10, 10, colourIn(palette, series.colour));
  const dash = LINE_DASHES[typeof series.colour === 'number' ? series.colour % 3 : 0]!;
  pen.line(
    [
      { x, y },
      { x: x + 12, y },
    ],
    { colour: palette.strong, dash },
  );
}

function seriesOf(data: ChartData): readonly Series[] {
  if (data.shape === 'time' || data.shape === 'bins') return data.series;
  return data.shape === 'heat' ? data.lines : [];
}

function legendOf(
  ruler: Pen,
  { data, hidden, widthPx }: Figure,
): { entries: Entry[]; rows: number } {
  const unit = data.shape === 'time' || data.shape === 'heat' ? data.unit : 'plain';
  let [x, row] = [0, 0];
  const entries = shownSeries(seriesOf(data), hidden).map((series): Entry => {
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
