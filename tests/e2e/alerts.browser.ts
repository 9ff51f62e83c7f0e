/** Alerts are found, decided about one by one and together, and taken back; two windows see the same. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

import { seriousFindings } from './support/accessible';
import { temporaryFolder } from './support/machine';
import { openBrowser, textBecomes, totalBecomes } from './support/page';
import { pictures } from './support/picture';
import { serve, type Server } from './support/server';

const MINUTES = 60;
const HOSTS = ['web-1', 'web-2'];
/** Each host has a burst in every tenth minute. */
const perMinute = (minute: number): number => (minute % 10 === 5 ? 20 : 2);

function requests(): string {
  const start = Date.UTC(2026, 2, 1, 14);
  const lines = Array.from({ length: MINUTES }, (_, minute) =>
    HOSTS.flatMap((host) =>
      Array.from({ length: perMinute(minute) }, (_, second) =>
        JSON.stringify({
          time: new Date(start + minute * 60_000 + second * 1_000).toISOString(),
          host,
          message: `answer ${second}`,
        }),
      ),
    ),
  );
  const path = join(temporaryFolder(), 'requests.jsonl');
  writeFileSync(path, `${lines.flat().join('\n')}\n`);
  return path;
}

const EVENTS =
  HOSTS.length *
  Array.from({ length: MINUTES }, (_, minute) => perMinute(minute)).reduce((a, b) => a + b, 0);
const ALERTS = HOSTS.length * 6;

const BUSY = `[[detector]]
name = "busy"
title = "Many <b>requests</b> of a host"
severity = "high"
by = ["host"]
threshold = { above = 10, every = "1m" }
`;

let browser: Browser;
let server: Server;
const contexts: BrowserContext[] = [];

beforeAll(async () => {
  browser = await openBrowser();
  server = await serve([requests()]);
});

afterAll(async () => {
  await browser.close();
  await server.stop();
});

afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
});

async function newPage(): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    timezoneId: 'UTC',
    locale: 'en-GB',
  });
  contexts.push(context);
  const page = await context.newPage();
  await page.goto(server.address);
  await totalBecomes(page, EVENTS);
  return page;
}

const counts = (page: Page, status: string, count: number) =>
  page
    .getByTestId(`inbox-status-${status}`)
    .filter({ hasText: new RegExp(`${count}$`) })
    .waitFor();

test('alerts are decided about, by keys and in bulk, and taken back', async () => {
  const page = await newPage();
  await page.getByTestId('tab-detectors').click();
  await page.getByTestId('new-detector').click();
  await page.getByTestId('definition-text').click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.insertText(BUSY);
  await page.getByTestId('save-detector').click();
  await page.getByTestId('detector-state').getByText('saved', { exact: true }).waitFor();

  await page.keyboard.press('Alt+6');
  await page.getByTestId('inbox-search').fill('many requests');
  await counts(page, 'new', ALERTS);
  const list = page.getByTestId('inbox-list');
  await list.focus();
  await page.keyboard.press('j');
  const detail = page.getByTestId('inbox-detail');
  await textBecomes(detail.getByTestId('inbox-state'), 'New');
  await detail.getByTestId('inbox-measure').getByTestId('measure-plot').waitFor();
  await page.keyboard.press('a');
  await textBecomes(detail.getByTestId('inbox-state'), 'Acknowledged');
  await counts(page, 'acknowledged', 1);
  expect(await seriousFindings(page)).toEqual([]);
  await pictures(page, 'inbox');

  // Another window acknowledges the same alert, and closes it.
  const other = await newPage();
  await other.getByTestId('tab-alerts').click();
  await other.getByTestId('inbox-search').fill('many requests');
  await counts(other, 'acknowledged', 1);
  await other.getByTestId('inbox-row').first().click();
  await other.getByTestId('inbox-list').focus();
  await other.keyboard.press('x');
  const prompt = other.getByTestId('triage-prompt');
  await prompt.getByTestId('close-reason').selectOption('falsePositive');
  await prompt.getByRole('textbox').fill('the <i>scanner</i> of us');
  await prompt.getByRole('button', { name: 'Close', exact: true }).click();
  await prompt.waitFor({ state: 'detached' });
  await counts(other, 'closed', 1);
  await counts(page, 'closed', 1);
  await textBecomes(detail.getByTestId('inbox-history'), 'the <i>scanner</i> of us');
  await other.getByTestId('undo').click();
  await counts(other, 'closed', 0);
  await counts(page, 'acknowledged', 1);

  // All of one host are muted at once.
  await page.getByTestId('inbox-group').selectOption('entity');
  const group = page.getByTestId('inbox-row').filter({ hasText: 'host=web-2' });
  await group.getByTestId('inbox-group-actions').click();
  await page.getByRole('menuitem', { name: 'Mute for a day' }).click();
  await counts(page, 'muted', ALERTS / 2);
  await page.getByTestId('undo').click();
  await counts(page, 'muted', 0);

  const downloading = page.waitForEvent('download');
  await page.getByTestId('inbox-export').click();
  await page.getByRole('menuitem', { name: 'NDJSON' }).click();
  const path = await (await downloading).path();
  const rows = readFileSync(path, 'utf8').trimEnd().split('\n');
  expect(rows).toHaveLength(ALERTS);
});
