/** How much each part of the numbers moved, as a line with a band: the geometry of the picture. */
import type { CurvePoint } from '../../ipc/generated';

export interface CurveSize {
  readonly widthPx: number;
  readonly heightPx: number;
}

export interface CurvePicture {
  /** Data of SVG paths. The band reaches the edge where it has no bound. */
  readonly line: string;
  readonly band: string;
  /** Where nothing moved. */
  readonly zeroPx: number;
  /** The values at the top and at the bottom. */
  readonly most: number;
  readonly least: number;
  readonly toX: (quantile: number) => number;
}

/** The tails vary most: their bounds may leave the picture. */
const INNER = { from: 0.05, to: 0.95 };
/** Room above and below the line, as a share of its height. */
const ROOM = 0.08;

/** Null if there are too few points for a line. */
export function curvePicture(
  points: readonly CurvePoint[],
  { widthPx, heightPx }: CurveSize,
): CurvePicture | null {
  if (points.length < 2) return null;
  const values = points.flatMap(({ quantile, a, b, low, high }) => {
    const isInner = quantile >= INNER.from && quantile <= INNER.to;
    const bounds = isInner ? [low, high] : [];
    return [b - a, ...bounds.filter((bound) => bound !== null).map((bound) => bound - a)];
  });
  let [least, most] = [Math.min(0, ...values), Math.max(0, ...values)];
  const room = (most - least) * ROOM || 1;
  [least, most] = [least - room, most + room];
  const toX = (quantile: number) => quantile * widthPx;
  const toY = (value: number) => {
    const y = ((most - value) / (most - least)) * heightPx;
    return Math.min(Math.max(y, 0), heightPx);
  };
  const at = (quantile: number, y: number) => `${toX(quantile).toFixed(1)} ${y.toFixed(1)}`;
  const line = points.map(({ quantile, a, b }) => at(quantile, toY(b - a)));
  const top = points.map(({ quantile, a, high }) =>
    at(quantile, high === null ? 0 : toY(high - a)),
  );
  const bottom = points.map(({ quantile, a, low }) =>
    at(quantile, low === null ? heightPx : toY(low - a)),
  );
  return {
    line: `M${line.join('L')}`,
    band: `M${[...top, ...bottom.reverse()].join('L')}Z`,
    zeroPx: toY(0),
    most,
    least,
    toX,
  };
}

/** The point whose quantile is next to a position. */
export function pointAt(
  points: readonly CurvePoint[],
  { toX }: CurvePicture,
  x: number,
): CurvePoint | null {
  const distance = ({ quantile }: CurvePoint) => Math.abs(toX(quantile) - x);
  return points.reduce<CurvePoint | null>(
    (best, point) => (best === null || distance(point) < distance(best) ? point : best),
    null,
  );
}

type Rows = readonly (readonly unknown[])[];

/** The columns of the stage `quantiles`. */
const COLUMNS = ['quantile', 'a', 'b', 'difference', 'low', 'high'];

/** The curve that a table is, if it is that of the stage `quantiles`. */
export function curveOfTable(
  columns: readonly { readonly name: string }[],
  rows: Rows,
): readonly CurvePoint[] | null {
  if (columns.map(({ name }) => name).join() !== COLUMNS.join()) return null;
  const number = (value: unknown) => (typeof value === 'number' ? value : null);
  const points = rows.map((row): CurvePoint | null => {
    const [quantile = null, a = null, b = null, , low = null, high = null] = row.map(number);
    if (quantile === null || a === null || b === null) return null;
    const bound = (difference: number | null) => (difference === null ? null : difference + a);
    return { quantile, a, b, low: bound(low), high: bound(high) };
  });
  return points.filter((point) => point !== null);
}
