/** Places services and the steps between them: the flow goes from left to right. The same map has the same places. */
import type { ServiceEdge, ServiceNode } from '../../ipc/generated';
import type { Point } from '../plot/pen';

export const NODE_PX = { width: 168, height: 44 } as const;
/** Space between two nodes, across and down, and around all. */
const GAP_PX = { across: 24, down: 92 } as const;
export const MARGIN_PX = 24;
/** Steps between nodes of the first level bend above them, those of the last one below. */
const BENT_PX = 22;
/** Columns that overlap are on so many levels at most. */
const MOST_LEVELS = 3;
/** A step that is rarer than this share of those into a node does not decide where that node is. */
const TELLING_SHARE = 0.05;
/** Points of a curve. */
const CURVE_POINTS = 48;
/** How far a curve bends to its right, as a share of its length: steps there and back are next to each other. */
const BEND = 0.18;

export interface MapLayout {
  readonly widthPx: number;
  readonly heightPx: number;
  /** The upper left corner of each node. */
  readonly nodes: readonly Point[];
  /** The points of each edge, from its first to its last. */
  readonly edges: readonly (readonly Point[])[];
}

type MapData = {
  readonly nodes: readonly ServiceNode[];
  readonly edges: readonly ServiceEdge[];
};

export function layoutOf(map: MapData, leastPx: number): MapLayout {
  const layers = layersOf(map);
  const spans = Math.max(1, layers.length - 1);
  const acrossPx = NODE_PX.width + GAP_PX.across;
  const room = (leastPx - 2 * MARGIN_PX - NODE_PX.width) / spans;
  const stepPx = Math.max(acrossPx / MOST_LEVELS, room);
  // Neighbours are on different levels, so that a step over one stays visible.
  const overlapping = Math.ceil(acrossPx / stepPx);
  const levels = layers.length > 2 ? Math.min(MOST_LEVELS, Math.max(2, overlapping)) : 1;
  const rowPx = NODE_PX.height + GAP_PX.down;
  const most = Math.max(1, ...layers.map((layer) => layer.length));
  const nodes = new Array<Point>(map.nodes.length);
  layers.forEach((layer, column) => {
    const first = Math.floor((most - layer.length) / 2);
    layer.forEach((node, row) => {
      const at = (first + row) * levels + (column % levels);
      nodes[node] = { x: MARGIN_PX + column * stepPx, y: MARGIN_PX + BENT_PX + at * rowPx };
    });
  });
  const heightPx = most * levels * rowPx + 2 * MARGIN_PX + BENT_PX;
  const widthPx = Math.max(leastPx, (layers.length - 1) * stepPx + NODE_PX.width + 2 * MARGIN_PX);
  const edges = map.edges.map(({ from, to }) => curve(nodes[from]!, nodes[to]!));
  return { widthPx, heightPx, nodes, edges };
}

/** An order in which few steps go backwards: what mostly sends comes first (Eades, Lin and Smyth). */
export function flowOrder({ nodes, edges }: MapData): number[] {
  const left = new Set(nodes.keys());
  const order: number[] = [];
  while (left.size > 0) {
    const balance = new Map([...left].map((node) => [node, 0]));
    for (const { from, to, count } of edges) {
      if (!left.has(from) || !left.has(to)) continue;
      balance.set(from, balance.get(from)! + count);
      balance.set(to, balance.get(to)! - count);
    }
    const [next] = [...balance].reduce((best, each) => (each[1] > best[1] ? each : best));
    order.push(next);
    left.delete(next);
  }
  return order;
}

/** The nodes of each column, from top to bottom. */
function layersOf(map: MapData): number[][] {
  const order = flowOrder(map);
  const place = new Map(order.map((node, at) => [node, at]));
  const into = new Array<number>(map.nodes.length).fill(0);
  for (const { to, count } of map.edges) into[to]! += count;
  const layer = new Array<number>(map.nodes.length).fill(0);
  for (const node of order) {
    for (const { from, to, count } of map.edges) {
      const isForward = to === node && place.get(from)! < place.get(node)!;
      if (isForward && count >= TELLING_SHARE * into[node]!)
        layer[node] = Math.max(layer[node]!, layer[from]! + 1);
    }
  }
  const layers: number[][] = Array.from({ length: Math.max(0, ...layer) + 1 }, () => []);
  for (const node of order) layers[layer[node]!]!.push(node);
  // Nodes are next to those that lead to them, so that fewer lines cross.
  const row = new Map<number, number>();
  for (const nodes of layers) {
    const middle = (node: number) => {
      const before = map.edges.filter(({ from, to }) => to === node && row.has(from));
      const sum = before.reduce((all, { count }) => all + count, 0);
      const weighted = before.reduce((all, { from, count }) => all + row.get(from)! * count, 0);
      return sum === 0 ? 0 : weighted / sum;
    };
    const middles = new Map(nodes.map((node) => [node, middle(node)]));
    nodes.sort((a, b) => middles.get(a)! - middles.get(b)! || place.get(a)! - place.get(b)!);
    nodes.forEach((node, at) => row.set(node, at - (nodes.length - 1) / 2));
  }
  return layers.filter((nodes) => nodes.length > 0);
}

/** From the border of a node to that of another, along a curve between their middles. */
function curve(from: Point, to: Point): Point[] {
  const middle = ({ x, y }: Point) => ({ x: x + NODE_PX.width / 2, y: y + NODE_PX.height / 2 });
  const [start, end] = [middle(from), middle(to)];
  const [dx, dy] = [end.x - start.x, end.y - start.y];
  const bent = { x: (start.x + end.x) / 2 - dy * BEND, y: (start.y + end.y) / 2 + dx * BEND };
  const points = Array.from({ length: CURVE_POINTS + 1 }, (_, at) => {
    const t = at / CURVE_POINTS;
    const mix = (a: number, b: number, c: number) =>
      (1 - t) ** 2 * a + 2 * (1 - t) * t * b + t ** 2 * c;
    return { x: mix(start.x, bent.x, end.x), y: mix(start.y, bent.y, end.y) };
  });
  const outside = points.filter((point) => !isIn(point, from) && !isIn(point, to));
  return outside.length > 1 ? outside : points;
}

const isIn = ({ x, y }: Point, node: Point) =>
  x >= node.x && x <= node.x + NODE_PX.width && y >= node.y && y <= node.y + NODE_PX.height;

export type MapPart = { readonly kind: 'node' | 'edge'; readonly at: number };

/** What is at a point: a node, or an edge near it. */
export function partAt({ nodes, edges }: MapLayout, { x, y }: Point): MapPart | null {
  const node = nodes.findIndex((each) => isIn({ x, y }, each));
  if (node >= 0) return { kind: 'node', at: node };
  const NEAR_PX = 7;
  let [best, at] = [NEAR_PX, -1];
  edges.forEach((points, edge) => {
    for (const [index, end] of points.entries()) {
      const start = points[index - 1];
      const distance = start === undefined ? Infinity : distanceTo({ x, y }, start, end);
      if (distance < best) [best, at] = [distance, edge];
    }
  });
  return at < 0 ? null : { kind: 'edge', at };
}

function distanceTo(point: Point, a: Point, b: Point): number {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const length = dx * dx + dy * dy;
  const share = length === 0 ? 0 : ((point.x - a.x) * dx + (point.y - a.y) * dy) / length;
  const t = Math.min(1, Math.max(0, share));
  return Math.hypot(point.x - a.x - t * dx, point.y - a.y - t * dy);
}
