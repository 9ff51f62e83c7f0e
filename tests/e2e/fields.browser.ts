/** The values of fields and the files of a case, which are checked and searched, in a browser. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { seriousFindings } from './support/accessible';
import { access, accessLog } from './support/logs';
import { eventually, temporaryFolder } from './support/machine';
import { opening } from './support/opening';
import {
  attributeBecomes,
  listBecomes,
  openField,
  textBecomes,
  totalBecomes,
} from './support/page';
import { pictures } from './support/picture';

const open = opening();

async function shown(paths: string[], events: number): Promise<Page> {
  const page = await open(paths);
  await listBecomes(page, events);
  // A request while the import still commits would be repeated a moment later.
  await page
    .locator('[data-testid="import-panel"][data-active="true"]')
    .waitFor({ state: 'detached' });
  return page;
}

test('checked values multiply: each joins the clause, which goes with the last one', async () => {
  const page = await shown([accessLog()], access.lines);
  await openField(page, 'status');
  const box = (value: string) =>
    page.locator(`[data-testid="top-value"][data-value="${value}"]`).getByTestId('include');
  await box('500').check();
  await totalBecomes(page, access.checkouts);
  await expect.poll(() => page.getByTestId('query').innerText()).toBe('status=500');
  await box('200').focus();
  await page.keyboard.press('Space');
  await textBecomes(page.getByTestId('query'), /^status:\(500 OR 200\)$/);
  await expect.poll(() => page.getByTestId('pill').count()).toBe(1);
  expect(await seriousFindings(page)).toEqual([]);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Space');
  await textBecomes(page.getByTestId('query'), /^status=200$/);
  await box('200').uncheck();
  await totalBecomes(page, access.lines);
  await expect.poll(() => page.getByTestId('pill').count()).toBe(0);
});

test('pinned fields list their values, so that two of them are two clicks', async () => {
  const page = await shown([accessLog()], access.lines);
  const pinned = page.getByTestId('pinned-values');
  const box = (value: string) =>
    pinned.locator(`[data-testid="top-value"][data-value="${value}"]`).getByTestId('include');
  await box('500').check();
  await box('200').check();
  await textBecomes(page.getByTestId('query'), /^status:\(500 OR 200\)$/);
  expect(await seriousFindings(page)).toEqual([]);
  await box('500').focus();
  await page.keyboard.press('Space');
  await textBecomes(page.getByTestId('query'), /^status=200$/);

  // What is pinned stays pinned.
  await openField(page, 'method');
  await page.getByTestId('pin-values').click();
  await openField(page, 'status');
  await page.getByTestId('pin-values').click();
  await attributeBecomes(page.getByTestId('pin-values'), 'aria-pressed', 'false');
  await page.reload();
  const list = page.locator('[data-testid="known-field"]:has([data-testid="pinned-values"])');
  await expect
    .poll(() => list.evaluateAll((all) => all.map((each) => (each as HTMLElement).dataset['name'])))
    .toEqual(['level', 'method']);
});

test('values are searched for one that is not among the most frequent ones', async () => {
  const path = join(temporaryFolder(), 'ids.jsonl');
  const line = (id: number) =>
    JSON.stringify({ ts: '2026-03-01T14:05:00Z', level: 'info', id: `order ${id}` });
  writeFileSync(path, Array.from({ length: 300 }, (_, id) => line(id)).join('\n'));
  const page = await shown([path], 300);
  await openField(page, 'id');
  const values = page.locator('[data-name="id"]').getByTestId('top-value');
  await expect.poll(() => values.count()).toBe(10);
  await page.getByTestId('value-search').fill('ER 277');
  await eventually('the value', async () => (await values.count()) === 1);
  await values.getByTestId('include').check();
  await totalBecomes(page, 1);
  // Without the search, the chosen value is first, whatever its rank.
  await page.getByTestId('value-search').fill('');
  await attributeBecomes(values.first(), 'data-value', 'order 277');
  await page.getByTestId('more-values').click();
  await eventually('more values', async () => (await values.count()) > 100);
});

test('files of the case are shown: one alone, several, or a folder, with their zone', async () => {
  const folder = temporaryFolder();
  const log = (name: string, events: number) => {
    const line = (at: number) => `2026-03-01 14:0${at}:00 INFO ${name} ${at}`;
    mkdirSync(join(folder, dirname(name)), { recursive: true });
    writeFileSync(
      join(folder, name),
      Array.from({ length: events }, (_, at) => line(at)).join('\n'),
    );
  };
  log('web/one.log', 4);
  log('web/two.log', 3);
  log('app/three.log', 2);
  const page = await shown([folder], 9);
  const file = (name: string) => page.locator(`[data-testid="file"][data-file$="${name}"]`);
  const written = page.getByTestId('query');
  await file('one.log').getByTestId('only').click();
  await totalBecomes(page, 4);
  // The files that are not chosen keep their counts.
  await expect.poll(() => file('three.log').locator('.count').innerText()).toBe('2');
  await file('three.log').getByTestId('include').check();
  await totalBecomes(page, 6);
  await file('web/').getByTestId('include').check();
  await totalBecomes(page, 9);
  await file('web/').getByTestId('without').click();
  await totalBecomes(page, 2);
  expect(await seriousFindings(page)).toEqual([]);
  await pictures(page, 'files');
  await page.getByTestId('all-files').click();
  await totalBecomes(page, 9);
  await file('web/').getByTestId('only').click();
  await textBecomes(written, /source:\/\^.*web/);

  await page.getByTestId('files-menu').click();
  await page.getByRole('menuitem', { name: 'Zone and clock of 2 files' }).click();
  await textBecomes(page.getByTestId('for-many'), 'What you choose is for 2 files.');
  await page.getByTestId('choose-offset').fill('1h');
  await page.getByTestId('choose-offset').blur();
  await page.getByTestId('apply-reading').click();
  await page.keyboard.press('Escape');
  await page
    .locator('[data-testid="row"][data-index="0"]')
    .filter({ hasText: '15:00:00' })
    .waitFor();
  await page.getByTestId('all-files').click();
  await page
    .locator('[data-testid="row"][data-index="0"]')
    .filter({ hasText: '14:00:00' })
    .waitFor();
  await totalBecomes(page, 9);
});
