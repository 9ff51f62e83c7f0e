/** Detectors of a case while it receives: a notice, the list of what was sent, and what is over. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

import { seriousFindings } from './support/accessible';
import { temporaryFolder } from './support/machine';
import { openBrowser, textBecomes, totalBecomes } from './support/page';
import { pictures } from './support/picture';
import { serve } from './support/server';

let browser: Browser;
const opened: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  browser = await openBrowser();
});

afterAll(() => browser.close());

afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.stop();
});

const BUSY = `[[detector]]
name = "busy"
title = "Many requests of a host"
severity = "high"
by = ["host"]
threshold = { above = 5, every = "1m" }
`;

/** So many requests of a host in a minute of the first of March. */
function requests(minute: number, count: number): string {
  const at = Date.UTC(2026, 2, 1, 14, minute);
  const line = (second: number) =>
    JSON.stringify({ time: new Date(at + second * 1000).toISOString(), host: 'web-1', second });
  return Array.from({ length: count }, (_, second) => `${line(second)}\n`).join('');
}

test('an alert of a live source is sent, listed, and over', async () => {
  const server = await serve([]);
  opened.push(server);
  const context: BrowserContext = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    timezoneId: 'UTC',
    locale: 'en-GB',
  });
  opened.push({ stop: () => context.close() });
  const page = await context.newPage();
  await page.goto(server.address);

  const log = join(temporaryFolder(), 'web.ndjson');
  writeFileSync(log, requests(0, 2));
  await page.getByTestId('receive-live').click();
  await page.getByTestId('live-follow').check();
  await page.getByTestId('live-paths').fill(log);
  await page.getByTestId('live-start').click();
  await totalBecomes(page, 2);

  await page.getByTestId('tab-detectors').click();
  await page.getByTestId('new-detector').click();
  await page.getByTestId('definition-text').click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.insertText(BUSY);
  await page.getByTestId('save-detector').click();
  await page.getByTestId('detector-state').getByText('saved', { exact: true }).waitFor();

  // Requests come as fast as a person may need to save, and each minute has more than is usual.
  appendFileSync(log, requests(3, 9));
  const notice = page.getByTestId('live-notice');
  await textBecomes(notice, 'Many requests of a host');
  await textBecomes(notice, 'web-1');
  await page.getByTestId('tab-alerts').click();
  const row = page.getByTestId('inbox-row').filter({ hasText: 'Many requests of a host' });
  await textBecomes(row.first(), 'firing');
  expect(await seriousFindings(page)).toEqual([]);
  await pictures(page, 'live-alerts');

  // The built-in detectors are evaluated, too, where a person wants it.
  await page.getByTestId('tab-detectors').click();
  const starter = page.getByTestId('watch-starter');
  await starter.check();
  await starter.and(page.locator(':checked')).waitFor();
  await pictures(page, 'live-sets');
  await starter.uncheck();

  // A minute with few ends it, and its notice.
  appendFileSync(log, requests(5, 1));
  await notice.waitFor({ state: 'detached' });
  await page.getByTestId('tab-alerts').click();
  await row.first().getByText('firing').waitFor({ state: 'detached' });

  await row.first().click();
  await page.getByTestId('inbox-events').click();
  await totalBecomes(page, 9);
});
