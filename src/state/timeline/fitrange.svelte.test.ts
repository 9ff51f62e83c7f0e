import { beforeEach, expect, it, test } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import { asTime } from '../../base/time';
import type { CaseSummary, Nanos, Page, Timeline } from '../../ipc/generated';
import { Explorer } from '../view/explorer.svelte';
import { FakeClient } from '../fakeclient';
import { FitRange, fitted, isNarrow } from './fitrange.svelte';
import { timelineData } from './timelinedata';

const summary = { first: '0', last: '999' } as CaseSummary;
const range = (from: bigint, to: bigint) => ({ from: asTime(from), to: asTime(to) });

function timeline(counts: number[], fraction = 1): Timeline {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const series = [{ level: 'info' as const, counts }];
  const bounds = { start: '0' as Nanos, bucketNs: '100' as Nanos };
  return { revision: 1, ...bounds, series, total, untimed: 0, fraction, elapsedMs: 1 };
}

const narrow = [0, 0, 3, 0, 1, 0, 0, 0, 0, 0];

test.each([
  ['three of ten bars', narrow, 1, true],
  ['matches at both ends', [1, 0, 0, 0, 0, 0, 0, 0, 0, 1], 1, false],
  ['half of the bars', [1, 1, 1, 1, 1, 0, 0, 0, 0, 0], 1, false],
  ['no match', [0, 0, 0, 0], 1, false],
  ['a part of an answer', narrow, 0.5, false],
])('%s', (_, counts, fraction, expected) => {
  const data = timelineData('k', null, timeline(counts, fraction));
  expect(isNarrow(data, range(0n, 1000n))).toBe(expected);
});

it('leaves a small margin, within the visible range', () => {
  const shown = range(0n, 10_000n);
  expect(fitted(asTime(1000n), asTime(2000n), shown)).toEqual(range(960n, 2041n));
  expect(fitted(asTime(10n), asTime(9990n), shown)).toEqual(shown);
  const second = 1_000_000_000n;
  const alone = asTime(30n * second);
  expect(fitted(alone, alone, range(0n, 90n * second))).toEqual(
    range(29_500_000_000n, 30_501_000_000n),
  );
  expect(fitted(alone, asTime(75n * second), range(0n, 90n * second))).toEqual(
    range(28n * second, 77n * second),
  );
});

let client: FakeClient;
let explorer: Explorer;
let fit: FitRange;

beforeEach(async () => {
  client = new FakeClient();
  explorer = new Explorer(new Lifetime(), client, '/a.case', () => {});
  fit = new FitRange(new Lifetime(), client, explorer, () => summary);
  explorer.fit(10);
  await ask('error');
  await client.callsTo('timeline').at(-1)!.answer(timeline(narrow));
});

async function ask(query: string): Promise<void> {
  explorer.ask(query);
  const check = { diagnostics: [], words: [], printed: query, filter: query, clauses: [] };
  const reply = { ...check, stages: [], isSql: false };
  await client.callsTo('check').at(-1)!.answer(reply);
}

const page = (time: string) => ({ rows: [{ time }] }) as unknown as Page;

it('requests the first and the last match and narrows the range to them, as a step', async () => {
  expect(fit.isWorthwhile).toBe(true);
  fit.run();
  const [first, last] = client.callsTo('page');
  expect(first!.args).toMatchObject({
    order: 'oldestFirst',
    count: 1,
    view: { query: 'error', from: '200', to: '500' },
  });
  await first!.answer(page('250'));
  await last!.answer(page('450'));
  expect(explorer.range).toEqual(range(242n, 459n));
  explorer.history.undo();
  expect(explorer.range).toBeNull();
  expect(explorer.query).toBe('error');
});

it('uses the bars if the times are not available, and does nothing after another request', async () => {
  fit.run();
  await client.callsTo('page')[0]!.fail({ code: 'internal' });
  expect(explorer.range).toEqual(range(189n, 511n));

  explorer.history.undo();
  await client.callsTo('timeline').at(-1)!.answer(timeline(narrow));
  fit.run();
  await ask('other');
  expect(fit.isWorthwhile).toBe(false);
  for (const call of client.callsTo('page').slice(-2)) await call.answer(page('250'));
  expect(explorer.range).toBeNull();
});
