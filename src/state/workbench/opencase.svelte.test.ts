// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import type { CaseSummary } from '../../ipc/generated';
import { ALL } from '../compare/sides';
import { FakeClient } from '../fakeclient';
import { NO_PARTS } from '../query/queryparts';
import { OpenCase } from './opencase.svelte';

const summary: CaseSummary = {
  path: '/c/a.case',
  name: 'a',
  events: 10,
  sources: [],
  first: null,
  last: null,
  revision: 1,
  readOnly: 'another window writes to it',
  profile: 'full',
  segmentsReady: 0,
  segments: 0,
  bytesOnDisk: 0,
  missing: [],
};

/** Calls that finish by themselves: they write, or their late answer changes nothing. */
const UNCANCELLED = ['notes', 'changeNotes', 'openCase', 'pulse', 'unread'];

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => {
  vi.useRealTimers();
  localStorage.clear();
});

/** Makes every part of a case start what it can. */
function busyCase(client: FakeClient): OpenCase {
  const opened = new OpenCase(client, summary);
  const { explorer, fields, landmarks, templates, charts, results } = opened;
  const { view } = explorer;
  explorer.fit(100);
  explorer.type('error');
  fields.shown = true;
  fields.see(['level']);
  landmarks.fit(50);
  landmarks.lookFor('error');
  landmarks.locate(0n, () => {});
  templates.shown = true;
  templates.unfold('t1');
  charts.watch();
  results.show({ ...view, query: '* | stats count()' }, null, 1);
  opened.emptyResult.look(view, null, NO_PARTS, 1);
  opened.unknownWords.look('timout', 1);
  opened.fileScan.look({} as never);
  opened.explaining.show(view, null);
  opened.annotations.show([{ source: 1, offset: 20 }], 1);
  opened.detail.showEvent({ source: 1, offset: 20 });
  opened.surroundings({ source: 1, offset: 20 }).load();
  opened.trail('10.0.0.1').load();
  opened.difference.show({ a: ALL, b: ALL });
  opened.comparing.show({ a: ALL, b: ALL });
  opened.comparing.words.show({ a: ALL, b: ALL }, 1);
  opened.fields.list();
  opened.published({ revision: 2 } as never);
  return opened;
}

it('aborts every call and stops every timer when the case is closed', () => {
  const client = new FakeClient();
  const opened = busyCase(client);
  const cancellable = () => client.calls.filter(({ name }) => !UNCANCELLED.includes(name));
  const running = () => cancellable().filter(({ options }) => options.signal?.aborted !== true);
  expect(new Set(running().map(({ name }) => name)).size).toBeGreaterThan(10);
  expect(vi.getTimerCount()).toBeGreaterThan(2);
  // Storage of the test environment reports changes in a timer of its own.
  vi.advanceTimersByTime(1);
  opened.dispose();
  expect(running().map(({ name }) => name)).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

it('starts nothing more once the case is closed', () => {
  const client = new FakeClient();
  const opened = busyCase(client);
  opened.dispose();
  const before = client.calls.length;
  opened.explorer.type('late');
  opened.fields.retry();
  opened.landmarks.refresh(9);
  opened.published({ revision: 9 } as never);
  vi.advanceTimersByTime(10_000);
  expect(client.calls.length).toBe(before);
});

it('requests what was refused again when a person trusts the case', async () => {
  const client = new FakeClient();
  const opened = new OpenCase(client, summary);
  const results = () => client.callsTo('run').length;
  const show = () =>
    opened.results.show(
      { ...opened.explorer.view, query: '* | lookup "a.csv" on a' },
      null,
      opened.charts.epoch,
    );
  show();
  void client.callsTo('run')[0]!.fail({ code: 'notAllowed', message: 'not trusted', hint: null });
  await Promise.resolve();

  const trusted = opened.trust();
  expect(client.callsTo('trustCase').map(({ args }) => args)).toEqual([{ path: '/c/a.case' }]);
  expect(opened.trusts).toBe(0);
  void client.callsTo('trustCase')[0]!.answer({});
  await trusted;
  vi.advanceTimersByTime(1_000);
  expect(opened.trusts).toBe(1);
  show();
  expect(results()).toBe(2);
  opened.dispose();
});

it('stays untrusted when the list cannot be written', async () => {
  const client = new FakeClient();
  const opened = new OpenCase(client, summary);
  const trusted = opened.trust();
  void client.callsTo('trustCase')[0]!.fail({ code: 'readOnly', message: 'no', hint: null });
  await expect(trusted).rejects.toThrow();
  expect(opened.trusts).toBe(0);
  opened.dispose();
});

it('attends an import that another page began, and shows the case as it is now', async () => {
  const client = new FakeClient();
  const heard: string[] = [];
  const opened = new OpenCase(
    client,
    { ...summary, readOnly: null },
    { importing: () => heard.push('importing'), failed: () => {} },
  );
  vi.advanceTimersByTime(0);
  const pulse = () => client.callsTo('pulse').at(-1)!;
  const answered = async (isImporting: boolean, revision: number) => {
    void pulse().answer({ isImporting, revision, readOnly: false });
    await Promise.resolve();
    await Promise.resolve();
  };
  await answered(true, 2);
  void client
    .callsTo('openCase')[0]!
    .answer({ ...summary, readOnly: null, revision: 2, events: 20 });
  await vi.waitFor(() => expect(heard).toEqual(['importing']));
  expect(opened.summary.events).toBe(20);
  expect(client.callsTo('unread')).toHaveLength(0);
  await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(0));
  vi.advanceTimersByTime(20_000);
  await answered(false, 2);
  expect(client.callsTo('openCase')).toHaveLength(1);
  expect(client.callsTo('unread')).toHaveLength(1);
  opened.dispose();
});
