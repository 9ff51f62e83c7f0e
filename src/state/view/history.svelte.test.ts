import { beforeEach, expect, it, vi } from 'vitest';

import { asTime } from '../../base/time';
import { ViewHistory } from './history.svelte';
import { START, type ViewState } from './viewstate';
import { textOfView, viewOfText } from './viewtext';

const range = (from: bigint, to: bigint) => ({ from: asTime(from), to: asTime(to) });
const changed = vi.fn();
let now = 0;
let history: ViewHistory;

beforeEach(() => {
  changed.mockClear();
  now = 0;
  history = new ViewHistory(changed, START, () => now);
});

it('undoes and redoes each step, and a new step drops the undone ones', () => {
  history.change({ query: 'a' });
  history.change({ tab: 'patterns' });
  expect(history.undo()).toBe(true);
  expect(history.current).toMatchObject({ query: 'a', tab: 'events' });
  expect(history.redo()).toBe(true);
  expect(history.current.tab).toBe('patterns');
  history.undo();
  history.undo();
  expect(history.current).toEqual(START);
  expect(history.undo()).toBe(false);
  history.change({ query: 'b' });
  expect(history.canRedo).toBe(false);
  expect(history.redo()).toBe(false);
});

it('passes the previous view with every step', () => {
  history.change({ query: 'a' });
  history.undo();
  expect(changed.mock.calls.map(([after, before]) => [after.query, before.query])).toEqual([
    ['a', ''],
    ['', 'a'],
  ]);
});

it('makes no step without a change, even with other objects', () => {
  history.change({ range: range(0n, 5n), timeline: { ...START.timeline } });
  history.change({ range: range(0n, 5n), timeline: { ...START.timeline } });
  expect(changed).toHaveBeenCalledTimes(1);
  history.undo();
  expect(history.canUndo).toBe(false);
});

it('merges typing until it is finished, something else happens or time passes', () => {
  const type = (query: string) => history.change({ query }, 'typed');
  type('e');
  type('er');
  history.finishStep();
  type('error');
  now += 2_000;
  type('error x');
  now += 10_000;
  type('error xy');
  const steps = [];
  while (history.undo()) steps.push(history.current.query);
  expect(steps).toEqual(['error x', 'er', '']);
});

it('does not merge typing over an undo', () => {
  history.change({ query: 'a' }, 'typed');
  history.undo();
  history.change({ query: 'b' }, 'typed');
  expect(history.canUndo).toBe(true);
  history.undo();
  expect(history.current.query).toBe('');
});

it('zooms out range by range to the full range, and in again, keeping the query', () => {
  history.change({ range: range(0n, 100n) });
  history.change({ range: range(10n, 20n) });
  history.change({ query: 'a' });
  expect(history.zoomOut()).toBe(true);
  expect(history.current).toMatchObject({ range: range(0n, 100n), query: 'a' });
  history.zoomOut();
  expect(history.current.range).toBeNull();
  expect(history.zoomOut()).toBe(false);
  expect(history.canZoomOut).toBe(false);
  history.zoomIn();
  history.zoomIn();
  expect(history.current).toMatchObject({ range: range(10n, 20n), query: 'a' });
  expect(history.zoomIn()).toBe(false);
});

it('undoes zooming out, with the ranges to zoom out to', () => {
  history.change({ range: range(0n, 100n) });
  history.zoomOut();
  history.undo();
  expect(history.current.range).toEqual(range(0n, 100n));
  expect([history.canZoomOut, history.canZoomIn]).toEqual([true, false]);
  history.change({ range: null });
  history.zoomOut();
  expect(history.current.range).toEqual(range(0n, 100n));
});

it('merges the steps of a wheel, and zooms out of all of them at once', () => {
  history.change({ range: range(0n, 90n) }, 'wheel');
  history.change({ range: range(0n, 80n) }, 'wheel');
  history.change({ range: range(0n, 70n) }, 'wheel');
  history.zoomOut();
  expect(history.current.range).toBeNull();
  history.undo();
  history.undo();
  expect([history.current.range, history.canUndo]).toEqual([null, false]);
});

it('opens a follow-up once, and selects its neighbour when it is closed', () => {
  const follow = (id: string) => ({ id, kind: 'follow', title: id, about: null });
  history.openFollowUp(follow('a'));
  history.openFollowUp(follow('b'));
  history.openFollowUp(follow('a'));
  expect(history.current.followUps.map(({ id }) => id)).toEqual(['a', 'b']);
  history.change({ tab: 'b' });
  history.closeFollowUp('b');
  expect(history.current).toMatchObject({ tab: 'a' });
  history.closeFollowUp('a');
  expect(history.current).toMatchObject({ tab: 'events', followUps: [] });
  history.undo();
  expect(history.current.followUps).toHaveLength(1);
});

const everything: ViewState = {
  query: 'path:"a&b=c%" | stats count by größe 🌲 + 1',
  off: ['level>=warn'],
  pinned: ['host=a', 'b'],
  range: { ...range(1_772_373_900_123_456_789n, 1_772_373_901_000_000_000n), written: 'now-1s/m' },
  order: 'newestFirst',
  sort: { field: 'bytes', descending: true },
  columns: [
    { field: 'user.name', widthPx: 120, pinned: true },
    { field: 'x', widthPx: null, pinned: false },
  ],
  tab: 'follow-1',
  followUps: [{ id: 'follow-1', kind: 'follow', title: 'abc', about: { value: ['abc', 1] } }],
  timeline: {
    split: 'service',
    scale: 'logarithmic',
    lanes: true,
    folded: true,
    widthNs: '60000000000',
    pinned: [{ id: 't00c0ffee00c0ffee', text: 'worker <num> started' }],
  },
  zone: 'Europe/Berlin',
  comparison: { a: { query: 'a=1' } },
  charts: [{ by: null }],
};

it('is one string and can be restored from it', () => {
  expect(viewOfText(textOfView(everything))).toEqual(everything);
  expect(viewOfText(textOfView(START))).toEqual(START);
  for (const name of Object.keys(START) as (keyof ViewState)[]) {
    const one = { ...START, [name]: everything[name] };
    expect(viewOfText(textOfView(one))).toEqual(one);
  }
  history.change(everything);
  expect(history.text).toBe(textOfView(everything));
});

it('reads what it understands of a modified string', () => {
  const broken =
    'timberline-view=1&query=a&range=x/y&sort=[3]&columns={&order=up&unknown=1&zone=Mars';
  expect(viewOfText(broken)).toEqual({ ...START, query: 'a' });
  expect(viewOfText('timberline-view=1&columns=[{"field":"a"},7,{"x":1}]')).toEqual({
    ...START,
    columns: [{ field: 'a', widthPx: null, pinned: false }],
  });
  expect(viewOfText('query=a')).toBeNull();
  expect(viewOfText('')).toBeNull();
});
