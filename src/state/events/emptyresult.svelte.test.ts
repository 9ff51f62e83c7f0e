import { expect, it } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import { asTime } from '../../base/time';
import type { Nanos, Page, View } from '../../ipc/generated';
import { FakeClient, settled } from '../fakeclient';
import { NO_PARTS } from '../query/queryparts';
import { rangeAt, EmptyResult } from './emptyresult.svelte';

const view: View = { case: '/a.case', query: 'a b', from: '100' as Nanos, to: '200' as Nanos };
const range = { from: asTime(100n), to: asTime(200n) };
const parts = {
  ...NO_PARTS,
  query: 'a b',
  filter: 'a b',
  clauses: ['a', 'b'].map((text) => ({ text, isNegated: false })),
};
const page = (total: number, time: string | null = null): Page => ({
  revision: 1,
  total,
  first: 0,
  rows:
    time === null
      ? []
      : [
          {
            id: { source: 0, offset: 0 },
            time: time as Nanos,
            level: 'none',
            sourceName: 's',
            line: 1,
            text: '',
            cut: false,
          },
        ],
  elapsedMs: 1,
});

it('finds the clause that excludes everything, and the nearest times', async () => {
  const client = new FakeClient();
  const out = new EmptyResult(new Lifetime(), client);
  out.ask({ view, range, parts });
  await client.callsTo('edit')[0]!.answer({ query: 'b' });
  await client.callsTo('edit')[1]!.answer({ query: 'a' });
  expect(client.callsTo('page').map(({ args }) => args.view.query)).toEqual(['b', 'a']);
  await client.callsTo('page')[0]!.answer(page(7));
  await client.callsTo('page')[1]!.answer(page(0));
  const [earlier, later, all] = client.callsTo('page').slice(2);
  expect(earlier!.args).toMatchObject({ order: 'newestFirst', view: { from: null, to: '100' } });
  expect(later!.args).toMatchObject({ order: 'oldestFirst', view: { from: '200', to: null } });
  await earlier!.answer(page(0));
  await later!.answer(page(3, '260'));
  await all!.answer(page(3, '260'));
  expect(out.alternatives).toEqual({
    before: null,
    after: 260n,
    anytime: 3,
    blockingClauses: [{ at: 0, text: 'a', events: 7 }],
  });
});

it('shows nothing of a view that was left meanwhile', async () => {
  const client = new FakeClient();
  const out = new EmptyResult(new Lifetime(), client);
  out.ask({ view: { ...view, from: null, to: null }, range: null, parts });
  out.stop();
  for (const call of client.callsTo('edit')) await call.answer({ query: 'b' });
  for (const call of client.callsTo('page')) await call.answer(page(7));
  await settled();
  expect(out.alternatives.blockingClauses).toEqual([]);
});

it('moves the range to include the nearest event', () => {
  expect(rangeAt(asTime(260n), range)).toEqual({ from: 260n, to: 360n });
  expect(rangeAt(asTime(40n), range)).toEqual({ from: -59n, to: 41n });
});
