import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import type { LiveSource, LiveStatus, Nanos } from '../../ipc/generated';
import { FakeClient } from '../fakeclient';
import { Live, QUIET_MS } from './live.svelte';

const FOLLOW = { kind: 'follow', paths: ['/a.log'] } as const;

const source = (accepted: number, more: Partial<LiveSource> = {}): LiveSource => ({
  id: 1,
  name: '/a.log',
  kind: { kind: 'follow', paths: ['/a.log'] },
  reading: { parts: [] },
  state: 'running',
  error: null,
  received: accepted,
  accepted,
  duplicates: 0,
  bytes: 0,
  rejected: [],
  last: null,
  lagMs: null,
  lagP50Ms: null,
  lagP99Ms: null,
  streams: [],
  ...more,
});

const status = (sources: LiveSource[], revision = 1): LiveStatus => ({
  sources,
  isReceiving: sources.some(({ state }) => state === 'running'),
  receiver: null,
  settings: { refreshMs: 1_000, keepHours: null, keepBytes: null, compressHours: null },
  isWaiting: false,
  revision,
  queueBytes: 0,
  queuePeakBytes: 0,
  backlogBytes: 0,
  waitingMs: 0,
  stalls: 0,
  syncs: 0,
  syncP50Ms: 0,
  syncP99Ms: 0,
  visibleP50Ms: 0,
  visibleP99Ms: 0,
  stages: [],
  trouble: null,
});

let client: FakeClient;
let lifetime: Lifetime;
let live: Live;
let now: number;
const listener = { published: vi.fn(), began: vi.fn(), failed: vi.fn() };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.clearAllMocks();
  client = new FakeClient();
  lifetime = new Lifetime();
  now = 1_000_000;
  live = new Live(lifetime, client, '/a.case', listener, () => now);
});

afterEach(() => void vi.useRealTimers());

const flush = async () => {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
};

/** The answer to the request that is pending. */
async function answer(reply: LiveStatus): Promise<void> {
  void client.callsTo('live').at(-1)!.answer(reply);
  await flush();
}

/** Half a second later, with this many accepted. */
async function later(accepted: number, more: Partial<LiveSource> = {}): Promise<void> {
  now += 500;
  vi.advanceTimersByTime(500);
  await answer(status([source(accepted, more)]));
}

describe('the counters', () => {
  it('are requested often while something is received, and rarely otherwise', async () => {
    live.look();
    await answer(status([]));
    vi.advanceTimersByTime(4_000);
    expect(client.callsTo('live')).toHaveLength(1);
    vi.advanceTimersByTime(1_000);
    expect(client.callsTo('live')).toHaveLength(2);
    await answer(status([source(0)], 7));
    expect(listener.began).toHaveBeenCalledTimes(1);
    expect(listener.published).toHaveBeenLastCalledWith(7);
    vi.advanceTimersByTime(500);
    expect(client.callsTo('live')).toHaveLength(3);
    lifetime.end();
    expect(client.callsTo('live')[2]!.options.signal?.aborted).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('are requested again after a failure', async () => {
    live.look();
    void client.callsTo('live')[0]!.fail(new Error('lost'));
    await flush();
    vi.advanceTimersByTime(5_000);
    expect(client.callsTo('live')).toHaveLength(2);
  });

  it('become rates, and a resumed source counts from zero', async () => {
    live.look();
    await answer(status([source(100)]));
    expect(live.rates.get(1)).toEqual([]);
    await later(150);
    await later(350);
    expect(live.rates.get(1)).toEqual([100, 400]);
    expect(live.rate(1)).toBe(250);
    await later(3);
    expect(live.rates.get(1)).toEqual([100, 400, 0]);
    await later(13);
    expect(live.rates.get(1)?.at(-1)).toBe(20);
  });

  it('say when a running source is quiet', async () => {
    live.look();
    const last = String(BigInt(now) * 1_000_000n) as Nanos;
    await answer(status([source(1, { last })]));
    expect(live.quietMs(live.sources[0]!)).toBeNull();
    now += QUIET_MS;
    vi.advanceTimersByTime(500);
    await answer(status([source(1, { last })]));
    expect(live.quietMs(live.sources[0]!)).toBe(QUIET_MS);
    expect(live.quietMs({ ...live.sources[0]!, state: 'paused' })).toBeNull();
    expect(live.quietMs({ ...live.sources[0]!, last: null })).toBeNull();
  });
});

describe('a live source', () => {
  it('is added, and its failure is thrown for the sheet', async () => {
    const added = live.add({ source: { ...FOLLOW, paths: [...FOLLOW.paths] } });
    void client.callsTo('addLive')[0]!.answer(status([source(0)]));
    await added;
    expect(live.isReceiving).toBe(true);
    const refused = live.add({ source: { kind: 'http', port: 9200 } });
    void client.callsTo('addLive')[1]!.fail({ code: 'badRequest', message: 'in use' });
    await expect(refused).rejects.toThrow();
    expect(listener.failed).not.toHaveBeenCalled();
  });

  it('that cannot be resumed is reported, and the list says why', async () => {
    const resumed = live.change(1, 'resume');
    void client.callsTo('changeLive')[0]!.fail({ code: 'badRequest', message: 'in use' });
    await resumed;
    expect(listener.failed).toHaveBeenCalledTimes(1);
    expect(client.callsTo('live')).toHaveLength(1);
  });

  it('is stopped only where something is received', async () => {
    await live.stop();
    expect(client.callsTo('stopLive')).toHaveLength(0);
    live.look();
    await answer(status([source(0)]));
    void live.stop();
    expect(client.callsTo('stopLive')).toHaveLength(1);
  });
});
