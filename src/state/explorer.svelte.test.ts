import { beforeEach, expect, it, vi } from 'vitest';

import { asTime } from '../base/time';
import { EngineError } from '../ipc/client';
import type { Nanos, Timeline } from '../ipc/generated';
import { Explorer } from './explorer.svelte';
import { FakeClient } from './fakeclient';

function timeline(total: number, fraction = 1): Timeline {
  return {
    revision: 1,
    start: '0' as Nanos,
    bucketNs: '10' as Nanos,
    series: [{ level: 'info', counts: [total, 0] }],
    total,
    untimed: 0,
    fraction,
    elapsedMs: 1,
  };
}

const viewChanged = vi.fn();
let client: FakeClient;
let explorer: Explorer;

beforeEach(async () => {
  vi.clearAllMocks();
  client = new FakeClient();
  explorer = new Explorer(client, '/a.case', viewChanged);
  explorer.fit(100);
  await client.of('timeline')[0]!.answer(timeline(10));
});

const last = () => client.of('timeline').at(-1)!;

it('shows partial answers to a new question, marked as partial', async () => {
  explorer.ask('error');
  last().options.progress?.(timeline(2, 0.42));
  expect(explorer.timeline).toMatchObject({ total: 2, fraction: 0.42 });
  await last().answer(timeline(5));
  expect(explorer.timeline).toMatchObject({ total: 5, fraction: 1 });
});

it('does not fall back to a partial answer while the case grows', async () => {
  explorer.refresh(2);
  last().options.progress?.(timeline(3, 0.3));
  expect(explorer.timeline?.total).toBe(10);
  await last().answer(timeline(12));
  expect(explorer.timeline?.total).toBe(12);
});

it('keeps the last good answer when a query is wrong, and forgets the mistake when it is mended', async () => {
  explorer.ask('(');
  const wrong = { code: 'queryInvalid', message: 'm', hint: null, path: null, span: null } as const;
  await last().fail(new EngineError(wrong));
  expect(explorer.timeline?.total).toBe(10);
  expect(explorer.queryError?.code).toBe('queryInvalid');
  explorer.ask('');
  await last().answer(timeline(10));
  expect(explorer.queryError).toBeNull();
});

it('asks for the range that was zoomed into and comes back out of it', async () => {
  explorer.zoom({ from: asTime(5n), to: asTime(9n) });
  expect(last().args.view).toMatchObject({ from: '5', to: '9' });
  expect(explorer.history.canZoomOut).toBe(true);
  await last().answer(timeline(1));
  explorer.history.zoomOut();
  expect(last().args.view).toMatchObject({ from: null, to: null });
  expect(explorer.range).toBeNull();
  expect(explorer.history.canZoomOut).toBe(false);
  expect(viewChanged).toHaveBeenCalledTimes(2);
});

it('lets a slow answer finish while new data keeps coming, then asks once more', async () => {
  for (let epoch = 2; epoch < 9; epoch += 1) explorer.refresh(epoch);
  expect(client.of('timeline')).toHaveLength(2);
  await client.of('timeline')[1]!.answer(timeline(11));
  expect(explorer.timeline?.total).toBe(11);
  expect(client.of('timeline')).toHaveLength(3);
});

it('asks after a pause in typing, and at once with Enter', () => {
  vi.useFakeTimers();
  explorer.type('err');
  explorer.type('error');
  expect(explorer.query).toBe('');
  vi.advanceTimersByTime(1000);
  expect(explorer.query).toBe('error');
  explorer.type('errors');
  explorer.ask();
  expect(explorer.query).toBe('errors');
  vi.advanceTimersByTime(1000);
  expect(viewChanged).toHaveBeenCalledTimes(2);
  vi.useRealTimers();
});
