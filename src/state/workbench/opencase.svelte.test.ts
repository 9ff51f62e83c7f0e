// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import type { CaseSummary, Source } from '../../ipc/generated';
import { ALL } from '../compare/sides';
import { texts } from '../../base/texts';
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
  results.show({ ...view, query: '* | stats count()' }, null);
  opened.emptyResult.ask({ view, range: null, parts: NO_PARTS });
  opened.unknownWords.look('timout');
  opened.fileScan.ask({} as never);
  opened.explaining.ask({ view, zone: null });
  opened.notedEvents.show([{ source: 1, offset: 20 }]);
  opened.detail.showEvent({ source: 1, offset: 20 });
  opened.surroundings({ source: 1, offset: 20 }).load();
  opened.trail('10.0.0.1').load();
  opened.difference.show({ a: ALL, b: ALL });
  opened.comparing.show({ a: ALL, b: ALL });
  opened.comparing.words.show({ a: ALL, b: ALL });
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
  opened.published({ revision: 9 } as never);
  vi.advanceTimersByTime(10_000);
  expect(client.calls.length).toBe(before);
});

it('requests what was refused again when a person trusts the case', async () => {
  const client = new FakeClient();
  const opened = new OpenCase(client, summary);
  const results = () => client.callsTo('run').length;
  const show = () =>
    opened.results.show({ ...opened.explorer.view, query: '* | lookup "a.csv" on a' }, null);
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

/** A case whose summary is read again as time passes. */
function heardCase() {
  const client = new FakeClient();
  const source = { id: 0, name: 'a.log', events: 4_113, complete: false } as Source;
  const opened = new OpenCase(client, { ...summary, readOnly: null, sources: [source] });
  const hear = async (revision: number) => {
    await vi.advanceTimersByTimeAsync(20_000);
    const pulse = client.callsTo('pulse').at(-1)!;
    void pulse.answer({ isImporting: true, revision, readOnly: false });
    await vi.advanceTimersByTimeAsync(0);
  };
  const answer = async (now: Partial<CaseSummary>) => {
    const asked = client.callsTo('openCase').at(-1)!;
    void asked.answer({ ...summary, readOnly: null, ...now });
    await vi.advanceTimersByTimeAsync(0);
  };
  return { client, source, opened, hear, answer };
}

it('shows what a case is now, also if another tab or window has filled it', async () => {
  const { client, source, opened, hear, answer } = heardCase();
  await hear(2);
  const whole = { ...source, events: 282_687, complete: true };
  await answer({ revision: 2, events: 282_687, sources: [whole] });
  expect(opened.summary).toMatchObject({ events: 282_687, sources: [{ complete: true }] });
  // Nothing is asked again until it grows again.
  await hear(2);
  expect(client.callsTo('openCase')).toHaveLength(1);
  opened.dispose();
});

it('shows what a case is while it is filled, and not only at the end', async () => {
  const { client, opened, hear, answer } = heardCase();
  await hear(2);
  await answer({ revision: 2, events: 20 });
  expect(opened.summary.events).toBe(20);
  // The report of the import of this page is newer than an earlier reply.
  await hear(3);
  opened.renew({ ...summary, readOnly: null, revision: 4, events: 40 });
  await answer({ revision: 3, events: 30 });
  expect(opened.summary.events).toBe(40);
  await hear(4);
  expect(client.callsTo('openCase')).toHaveLength(2);
  opened.dispose();
});

it('says once that another page has deleted the case, and keeps what is shown', async () => {
  const client = new FakeClient();
  const failed: string[] = [];
  const opened = new OpenCase(
    client,
    { ...summary, readOnly: null },
    { importing: () => {}, failed: ({ message }) => failed.push(message) },
  );
  const miss = async () => {
    await vi.advanceTimersByTimeAsync(20_000);
    void client.callsTo('pulse').at(-1)!.fail({ code: 'notFound', message: 'no such file' });
    await vi.advanceTimersByTimeAsync(0);
  };
  await miss();
  await miss();
  expect(failed).toEqual([texts.workbench.cases.gone.message]);
  expect(opened.summary.name).toBe(summary.name);
  opened.dispose();
});
