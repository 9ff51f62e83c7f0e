import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import type { Page } from '../../ipc/generated';
import { FakeClient } from '../fakeclient';
import { Rows } from '../events/rows.svelte';
import { Explorer } from '../view/explorer.svelte';
import type { CaseStorage } from '../workbench/casestorage';
import { LiveMode, slidingRange } from './livemode.svelte';

const MINUTE_MS = 60_000;
const ns = (ms: number) => BigInt(ms) * 1_000_000n;

let client: FakeClient;
let lifetime: Lifetime;
let explorer: Explorer;
let rows: Rows;
let mode: LiveMode;
let now: number;
let kept: Map<string, string>;
const refresh = vi.fn();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.clearAllMocks();
  client = new FakeClient();
  lifetime = new Lifetime();
  kept = new Map();
  now = 100 * MINUTE_MS + 1_000;
  const storage: CaseStorage = {
    read: (name) => kept.get(name) ?? null,
    write: (name, text) => void kept.set(name, text),
  };
  rows = new Rows(lifetime, client, { replaced: () => {}, came: () => {} });
  explorer = new Explorer(lifetime, client, '/a.case', () => {
    mode.viewChanged();
    rows.show(explorer.view, explorer.listing);
  });
  mode = new LiveMode(lifetime, client, explorer, rows, storage, refresh, () => now);
});

afterEach(() => void vi.useRealTimers());

function pass(ms: number): void {
  now += ms;
  vi.advanceTimersByTime(ms);
}

const flush = async () => {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
};

it('ends the range with the step that the clock is in', () => {
  const { from, to } = slidingRange('15m', 100 * MINUTE_MS + 1_000);
  expect([from, to]).toEqual([ns(85 * MINUTE_MS + 15_000), ns(100 * MINUTE_MS + 15_000)]);
  // The next step begins exactly where one ends.
  expect(slidingRange('15m', 100 * MINUTE_MS + 15_000).to).toBe(ns(100 * MINUTE_MS + 30_000));
});

describe('the Live switch', () => {
  it('slides the range with the clock, as one step of the history', () => {
    mode.start('15m');
    const first = explorer.range!;
    expect(first.written).toBe('now-15m');
    pass(13_999);
    expect(explorer.range).toEqual(first);
    pass(1);
    expect(explorer.range!.from - first.from).toBe(ns(15_000));
    pass(MINUTE_MS);
    expect(explorer.range!.from - first.from).toBe(ns(75_000));
    expect(mode.isFollowing).toBe(true);
    explorer.history.undo();
    expect(explorer.range).toBeNull();
    expect(mode.isOn).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends when another range is chosen', () => {
    mode.start('5m');
    explorer.zoom(null);
    expect(mode.isOn).toBe(false);
    expect(rows.followsEnd).toBe(false);
  });

  it('shows all time without a range', () => {
    mode.start('all');
    expect(explorer.range).toBeNull();
    expect(vi.getTimerCount()).toBe(0);
    expect(rows.followsEnd).toBe(true);
  });

  it('follows the end only where the newest events are there', () => {
    mode.start('1m');
    expect(rows.followsEnd).toBe(true);
    explorer.toggleOrder();
    mode.viewChanged();
    expect([mode.isFollowing, rows.followsEnd]).toEqual([true, false]);
    explorer.history.change({ sort: { field: 'size', descending: true } });
    expect(mode.isFollowing).toBe(false);
  });

  it('is on again after a restart', () => {
    mode.restore();
    expect(mode.isOn).toBe(false);
    kept.set('live', '5m');
    mode.restore();
    expect(mode.length).toBe('5m');
    mode.end();
    expect(kept.get('live')).toBe('');
  });
});

describe('a person who scrolls away', () => {
  it('keeps what is shown, sees how much is new, and goes back', async () => {
    mode.start('15m');
    rows.total = 200;
    expect(mode.holds()).toBe(false);
    mode.stop();
    const { range } = explorer;
    pass(5 * MINUTE_MS);
    expect(explorer.range).toEqual(range);
    expect(rows.followsEnd).toBe(false);

    refresh.mockClear();
    expect(mode.holds()).toBe(true);
    const { args } = client.callsTo('page').at(-1)!;
    expect([args.view.to, args.view.from]).toEqual([null, String(range!.from)]);
    void client
      .callsTo('page')
      .at(-1)!
      .answer({ total: 1_404 } as Page);
    await flush();
    expect(mode.newEvents).toBe(1_204);
    expect(refresh).not.toHaveBeenCalled();

    mode.resume();
    expect([mode.isFollowing, mode.newEvents]).toEqual([true, 0]);
    expect(explorer.range!.to - range!.to).toBe(ns(5 * MINUTE_MS));
    expect(refresh).toHaveBeenCalledTimes(1);
    pass(15_000);
    expect(explorer.range!.to - range!.to).toBe(ns(5 * MINUTE_MS + 15_000));
  });

  it('gets the rows of what is shown, in the places where they were', async () => {
    mode.start('all');
    rows.show(explorer.view, explorer.listing);
    const pages = () => client.callsTo('page');
    const answer = (revision: number, total: number) =>
      pages().at(-1)!.answer({ revision, total, first: 0, rows: [], elapsedMs: 1 });
    void answer(7, 1_000);
    await flush();
    expect(pages().every(({ args }) => args.view.revision === undefined)).toBe(true);
    mode.stop();
    expect(explorer.view.revision).toBe(7);
    rows.see(600, 640);
    expect(
      pages()
        .slice(-2)
        .every(({ args }) => args.view.revision === 7),
    ).toBe(true);

    // New events are counted in the case as it is.
    expect(mode.holds()).toBe(true);
    expect(pages().at(-1)!.args.view.revision).toBeUndefined();
    mode.resume();
    expect(explorer.view.revision).toBeUndefined();
    lifetime.grow();
    expect(pages().at(-1)!.args.view.revision).toBeUndefined();
  });

  it('sees what is new when the switch is turned off', () => {
    mode.start('15m');
    mode.stop();
    refresh.mockClear();
    mode.end();
    expect(refresh).toHaveBeenCalledTimes(1);
    expect(mode.holds()).toBe(false);
  });
});
