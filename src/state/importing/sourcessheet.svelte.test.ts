import { beforeEach, expect, it } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import type {
  Account,
  CaseSummary,
  ImportReport,
  Nanos,
  PreviewFile,
  Source,
} from '../../ipc/generated';
import { FakeClient } from '../fakeclient';
import type { OpenCase } from '../workbench/opencase.svelte';
import { ImportJob, Imports, type Work } from './imports.svelte';
import { SourcesSheet } from './sourcessheet.svelte';

const hour = '3600000000000' as Nanos;
const report = { events: 0, cancelled: false, problems: [] } as unknown as ImportReport;

function sheetOf(client: FakeClient) {
  const imports = new Imports();
  const opened = { summary: { path: '/a.case', revision: 1, readOnly: null, sources: [] } };
  const start = (work: Work, finished: () => void) => {
    const job = new ImportJob(client, '/a.case', work, { published: () => {}, finished });
    imports.add(job);
    return job;
  };
  const sheet = new SourcesSheet(new Lifetime(), client, opened as unknown as OpenCase, start);
  sheet.select(3);
  return sheet;
}

it('shows a re-import until it ends, and then how the source is read now', async () => {
  const client = new FakeClient();
  const sheet = sheetOf(client);
  await client.callsTo('account')[0]!.answer({} as Account);
  sheet.choose({ clockOffset: hour });
  sheet.apply();
  expect(sheet.applied?.active).toBe(true);
  await client.callsTo('adjust')[0]!.answer(report);
  expect(sheet.applied?.state).toBe('done');
  expect(sheet.reading).toEqual({});
  expect(sheet.canApply).toBe(false);
  expect(client.callsTo('account')).toHaveLength(2);
  expect(client.callsTo('previewSource').at(-1)!.args.reading).toEqual({});
  await client
    .callsTo('previewSource')
    .at(-1)!
    .answer({ name: 'now' } as unknown as PreviewFile);
  expect(sheet.preview.value).toEqual({ name: 'now' });
});

it('keeps the choices if the re-import fails, and those made meanwhile', async () => {
  const client = new FakeClient();
  const sheet = sheetOf(client);
  sheet.choose({ clockOffset: hour });
  sheet.apply();
  await client.callsTo('adjust')[0]!.fail({ code: 'diskFull', message: 'm' });
  expect(sheet.applied?.state).toBe('failed');
  expect(sheet.reading).toEqual({ clockOffset: hour });
  sheet.apply();
  sheet.choose({ zone: 'UTC' });
  await client.callsTo('adjust')[1]!.answer(report);
  expect(sheet.reading).toEqual({ zone: 'UTC' });
  expect(sheet.applied).toBeNull();
});

let client: FakeClient;
let started: Work[];
let sheet: SourcesSheet;

beforeEach(() => {
  client = new FakeClient();
  started = [];
  const sources = [0, 1, 2].map((id) => ({ id, name: `${id}.log` }));
  const opened = { summary: { path: '/a.case', sources, readOnly: null } } as unknown as OpenCase;
  sheet = new SourcesSheet(new Lifetime(), client, opened, (work) => {
    started.push(work);
    return new ImportJob(client, '/a.case', work, { published: () => {}, finished: () => {} });
  });
});

const previewed = () => client.callsTo('previewSource').at(-1)!.args;

it('selects the first source once the case has one', () => {
  const summary = { path: '/a.case', sources: [] as { id: number }[] };
  const early = new SourcesSheet(new Lifetime(), client, { summary } as unknown as OpenCase, () =>
    expect.unreachable(),
  );
  early.settle();
  expect(early.selected).toBe(null);
  summary.sources = [{ id: 7 }, { id: 8 }];
  early.settle();
  expect(early.selected).toBe(7);
  early.select(8);
  early.settle();
  expect(early.selected).toBe(8);
});

it('sets the zone and the clock of all checked sources in one change', () => {
  sheet.select(0);
  sheet.check([2, 1], true);
  expect([sheet.targets, sheet.selected, sheet.canApply]).toEqual([[1, 2], 1, false]);
  sheet.choose({ zone: 'Europe/Berlin', clockOffset: hour });
  expect(previewed()).toMatchObject({ source: 1, reading: { zone: 'Europe/Berlin' } });
  sheet.apply();
  expect(started).toEqual([
    { kind: 'adjust', sources: [1, 2], zone: 'Europe/Berlin', clockOffset: hour },
  ]);
});

it('previews each checked source with the same choices, and forgets them with another one', () => {
  sheet.check([0, 2], true);
  sheet.choose({ zone: 'Asia/Tokyo' });
  sheet.select(2);
  expect(previewed()).toMatchObject({ source: 2, reading: { zone: 'Asia/Tokyo' } });
  sheet.check([2], false);
  expect([sheet.targets, sheet.selected]).toEqual([[0], 0]);
  sheet.select(1);
  expect([sheet.targets, sheet.reading, sheet.canApply]).toEqual([[1], {}, false]);
});

it('applies to the selected source while none is checked', () => {
  sheet.select(1);
  sheet.choose({ format: 'syslog' });
  sheet.apply();
  expect(started).toEqual([{ kind: 'reread', sources: [1], reading: { format: 'syslog' } }]);
});

it('can be applied again at once to sources that are checked while others are re-imported', () => {
  sheet.select(0);
  sheet.choose({ zone: 'Asia/Tokyo' });
  sheet.apply();
  expect(sheet.applied?.active).toBe(true);
  sheet.check([0, 1], true);
  expect([sheet.applied, sheet.canApply, sheet.selected]).toEqual([null, true, 0]);
  sheet.apply();
  expect(started.at(-1)).toEqual({ kind: 'adjust', sources: [0, 1], zone: 'Asia/Tokyo' });
});

const source = (events: number, sha256: string) =>
  ({ id: 3, events, sha256, complete: false }) as Partial<Source> as Source;
const account = (times: number) => ({ times: [{ events: times }] }) as unknown as Account;

it('shows a source as it is now, not as it was when the sheet was opened', async () => {
  const client = new FakeClient();
  const lifetime = new Lifetime();
  const summary = { path: '/c', readOnly: null, sources: [source(4_113, 'first')] };
  const opened = { summary: summary as unknown as CaseSummary } as OpenCase;
  const sheet = new SourcesSheet(lifetime, client, opened, (work) => {
    return new ImportJob(client, '/c', work, { published: () => {}, finished: () => {} });
  });
  sheet.select(3);
  const [accounts, previews] = [
    () => client.callsTo('account'),
    () => client.callsTo('previewSource'),
  ];
  await accounts()[0]!.answer(account(4_113));
  await previews()[0]!.answer({ format: 'text' } as PreviewFile);
  expect(sheet.isStale).toBe(false);

  Object.assign(summary, { sources: [source(282_687, 'whole')] });
  lifetime.grow();
  expect(sheet.source).toMatchObject({ events: 282_687, sha256: 'whole' });
  expect(sheet.isStale).toBe(true);
  expect(sheet.account.value).toEqual(account(4_113));
  await accounts()[1]!.answer(account(282_687));
  await previews()[1]!.answer({ format: 'logfmt' } as PreviewFile);
  expect(sheet.account.value).toEqual(account(282_687));
  expect(sheet.preview.value?.format).toBe('logfmt');
  expect(sheet.isStale).toBe(false);
});
