import { expect, it } from 'vitest';

import type { Nanos, ServiceEdge, ServiceNode } from '../../ipc/generated';
import { flowOrder, layoutOf, NODE_PX, partAt } from './maplayout';

const nodes = (...names: string[]): ServiceNode[] =>
  names.map((name) => ({ name, events: 10, ids: 5, errors: 0 }));
const edge = (from: number, to: number, count: number): ServiceEdge => ({
  from,
  to,
  count,
  p50Ns: '1000000' as Nanos,
  p95Ns: '2000000' as Nanos,
  errors: 0,
});

/** A gateway asks the cart, which asks payment and ledger; some answers come back. */
const shop = {
  nodes: nodes('payment', 'gateway', 'ledger', 'cart'),
  edges: [edge(1, 3, 90), edge(3, 0, 60), edge(3, 2, 40), edge(0, 3, 8), edge(2, 1, 1)],
};

it('puts what mostly sends before what mostly receives', () => {
  expect(flowOrder(shop)).toEqual([1, 3, 0, 2]);
  expect(flowOrder({ nodes: [], edges: [] })).toEqual([]);
});

it('places the flow from left to right, in the same places each time', () => {
  const layout = layoutOf(shop, 800);
  const [payment, gateway, ledger, cart] = layout.nodes.map(({ x }) => x);
  expect(gateway).toBeLessThan(cart!);
  expect(cart).toBeLessThan(payment!);
  expect(payment).toBe(ledger);
  expect(layoutOf(shop, 800)).toEqual(layout);
  expect(layout.widthPx).toBe(800);
});

it('lets no nodes overlap or leave the picture, however many there are', () => {
  const many = {
    nodes: nodes(...Array.from({ length: 41 }, (_, at) => `s${at}`)),
    edges: Array.from({ length: 80 }, (_, at) => edge((at * 7) % 41, (at * 11 + 3) % 41, 80 - at)),
  };
  const layout = layoutOf(many, 600);
  layout.nodes.forEach((one, at) => {
    expect(one.x + NODE_PX.width).toBeLessThanOrEqual(layout.widthPx);
    expect(one.y + NODE_PX.height).toBeLessThanOrEqual(layout.heightPx);
    for (const other of layout.nodes.slice(at + 1)) {
      const isFree =
        Math.abs(one.x - other.x) >= NODE_PX.width || Math.abs(one.y - other.y) >= NODE_PX.height;
      expect(isFree).toBe(true);
    }
  });
});

it('bends steps there and back to different sides, and ends them at the borders', () => {
  const layout = layoutOf(shop, 800);
  const [there, back] = [layout.edges[1]!, layout.edges[3]!];
  const middle = (points: readonly { y: number }[]) => points[Math.floor(points.length / 2)]!.y;
  expect(Math.abs(middle(there) - middle(back))).toBeGreaterThan(10);
  const cart = layout.nodes[3]!;
  for (const { x, y } of there)
    expect(
      x > cart.x && x < cart.x + NODE_PX.width && y > cart.y && y < cart.y + NODE_PX.height,
    ).toBe(false);
});

it('finds the node or the edge at a point', () => {
  const layout = layoutOf(shop, 800);
  const { x, y } = layout.nodes[3]!;
  expect(partAt(layout, { x: x + 5, y: y + 5 })).toEqual({ kind: 'node', at: 3 });
  const points = layout.edges[0]!;
  const middle = points[Math.floor(points.length / 2)]!;
  expect(partAt(layout, { x: middle.x, y: middle.y + 3 })).toEqual({ kind: 'edge', at: 0 });
  expect(partAt(layout, { x: 1, y: 1 })).toBeNull();
});
