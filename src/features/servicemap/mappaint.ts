/** Draws a service map with a pen. */
import { formatCompact, formatShare } from '../../base/format';
import { texts } from '../../base/texts';
import { visibleLine } from '../../base/visible';
import type { ServiceEdge, ServiceMap, ServiceNode } from '../../ipc/generated';
import { formatValue } from '../../state/charts/units';
import type { Palette } from '../plot/palette';
import type { Pen, Point } from '../plot/pen';
import { shortenedTo } from '../plot/shortened';
import { NODE_PX, type MapLayout, type MapPart } from './maplayout';

/** The most frequent steps have labels; those of the others show when they are pointed at. */
const LABELLED = 16;
const MOST_LINE_PX = 6;
/** Labels are nearer to where a step begins, so that those of steps there and back do not overlap. */
const LABEL_AT = 0.38;
const ARROW_PX = 9;
const PADDING_PX = 10;

export interface MapPicture {
  readonly map: Pick<ServiceMap, 'nodes' | 'edges'>;
  readonly layout: MapLayout;
  readonly palette: Palette;
  readonly pointed: MapPart | null;
}

export const nameOf = ({ name }: ServiceNode) =>
  name === null ? texts.servicemap.others : visibleLine(name);

/** A span in one unit, with three digits: a label is read at a glance. */
export const shortSpan = (nanos: string) => formatValue(Number(nanos), 'ns');

export const shareOf = (errors: number, count: number) => (count === 0 ? 0 : errors / count);

export function paintMap(pen: Pen, picture: MapPicture): void {
  const { map, layout, palette, pointed } = picture;
  const most = map.edges[0]?.count ?? 1;
  const isPointed = (kind: MapPart['kind'], at: number) =>
    pointed?.kind === kind && pointed.at === at;
  const isShown = (edge: ServiceEdge, at: number) =>
    isPointed('edge', at) ||
    (pointed?.kind === 'node' && (edge.from === pointed.at || edge.to === pointed.at));
  map.edges.forEach((edge, at) => {
    paintEdge(pen, palette, edge, layout.edges[at]!, most, isShown(edge, at));
  });
  const label = (edge: ServiceEdge, at: number, isOver: boolean) =>
    paintLabel(pen, palette, edge, layout.edges[at]!, isOver);
  map.edges.forEach((edge, at) => {
    if (at < LABELLED && !isShown(edge, at)) label(edge, at, false);
  });
  map.nodes.forEach((node, at) => {
    paintNode(pen, palette, node, layout.nodes[at]!, isPointed('node', at));
  });
  map.edges.forEach((edge, at) => {
    if (isShown(edge, at)) label(edge, at, true);
  });
}

/** As wide as it is frequent, and as red as its steps are errors. */
function paintEdge(
  pen: Pen,
  palette: Palette,
  { count, errors }: ServiceEdge,
  points: readonly Point[],
  most: number,
  isPointed: boolean,
): void {
  const share = most <= 1 ? 1 : Math.log(1 + count) / Math.log(1 + most);
  const widthPx = 1 + (MOST_LINE_PX - 1) * share ** 2;
  const colour = isPointed ? palette.accent : palette.other;
  pen.line(points, { colour, widthPx });
  const failed = shareOf(errors, count);
  if (failed > 0)
    pen.line(points, { colour: palette.levels.error, widthPx, alpha: 0.25 + 0.75 * failed });
  const [before, end] = [points.at(-3) ?? points[0]!, points.at(-1)!];
  const angle = Math.atan2(end.y - before.y, end.x - before.x);
  const wing = (turn: number) => ({
    x: end.x - ARROW_PX * Math.cos(angle + turn),
    y: end.y - ARROW_PX * Math.sin(angle + turn),
  });
  pen.line([wing(0.45), end, wing(-0.45)], {
    colour: isPointed ? palette.accent : palette.text,
    widthPx: 1.5,
  });
}

function paintNode(
  pen: Pen,
  palette: Palette,
  node: ServiceNode,
  { x, y }: Point,
  isPointed: boolean,
): void {
  const { width, height } = NODE_PX;
  const border = isPointed ? palette.accent : palette.lineStrong;
  const edgePx = isPointed ? 2 : 1;
  pen.rect(x, y, width, height, border);
  pen.rect(x + edgePx, y + edgePx, width - 2 * edgePx, height - 2 * edgePx, palette.ground);
  const failed = shareOf(node.errors, node.events);
  if (failed > 0)
    pen.rect(x + 1, y + height - 4, Math.max(2, (width - 2) * failed), 3, palette.levels.error);
  pen.within(x + PADDING_PX, y, { width: width - 2 * PADDING_PX, height }, () => {
    pen.text(0, 15, shortenedTo(pen, nameOf(node), width - 2 * PADDING_PX), {
      colour: palette.strong,
      bold: true,
    });
    const said = texts.servicemap.events(node.events, formatShare(failed));
    pen.text(0, 31, said, { colour: palette.text });
  });
}

function paintLabel(
  pen: Pen,
  palette: Palette,
  edge: ServiceEdge,
  points: readonly Point[],
  isPointed: boolean,
): void {
  const { x, y } = points[Math.floor(points.length * LABEL_AT)]!;
  const text = `${formatCompact(edge.count)} · ${shortSpan(edge.p50Ns)}`;
  const widthPx = pen.textWidth(text) + 8;
  pen.rect(x - widthPx / 2, y - 8, widthPx, 16, palette.ground, isPointed ? 1 : 0.85);
  pen.text(x, y, text, {
    colour: isPointed ? palette.strong : palette.text,
    align: 'center',
    bold: isPointed,
  });
}
