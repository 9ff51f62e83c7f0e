import { expect, it } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import type { Account, ImportReport, Nanos, PreviewFile } from '../../ipc/generated';
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
  expect(sheet.preview).toEqual({ name: 'now' });
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
