/** The address of the page: back and forward, reloads, links, and addresses that are wrong. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

import { seriousFindings } from './support/accessible';
import { access, accessLog } from './support/logs';
import { eventually } from './support/machine';
import { inPalette, openBrowser, query, textBecomes, totalBecomes } from './support/page';
import { serve, type Server } from './support/server';

let browser: Browser;
let server: Server;
let context: BrowserContext;

beforeAll(async () => {
  browser = await openBrowser();
});

afterAll(() => browser.close());

afterEach(async () => {
  await context.close();
  await server.stop();
});

/** A page with the log in a case of its own. */
async function opened(): Promise<Page> {
  server = await serve([accessLog()]);
  context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    timezoneId: 'UTC',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  await page.goto(server.address);
  await totalBecomes(page, access.lines);
  return page;
}

const notice = (page: Page) => page.getByRole('alert').filter({ hasText: 'plain view' });

function hashBecomes(page: Page, part: string): Promise<unknown> {
  return eventually(`${part} in the address`, () =>
    Promise.resolve(new URL(page.url()).hash.includes(part)),
  );
}

test('back and forward of the browser walk the views, and a reload restores one', async () => {
  const page = await opened();
  await query(page, 'checkout');
  await totalBecomes(page, access.checkouts);
  await page.getByTestId('tab-patterns').click();
  await hashBecomes(page, 'tab=patterns');
  await page.goBack();
  await hashBecomes(page, 'query=checkout');
  expect(page.url()).not.toContain('tab=');
  await expect
    .poll(() => page.getByTestId('tab-events').getAttribute('aria-selected'))
    .toBe('true');
  await page.goBack();
  await totalBecomes(page, access.lines);
  await page.goForward();
  await totalBecomes(page, access.checkouts);

  // Undo goes the same way.
  await page.keyboard.press('Escape');
  await page.getByTestId('undo').click();
  await totalBecomes(page, access.lines);
  await page.goForward();
  await totalBecomes(page, access.checkouts);
  await page.getByTestId('timeline-canvas').click();
  await page.getByTestId('undo').focus();
  await page.keyboard.press('Alt+ArrowLeft');
  await totalBecomes(page, access.lines);
  await page.keyboard.press('Alt+ArrowRight');
  await totalBecomes(page, access.checkouts);

  await page.reload();
  await totalBecomes(page, access.checkouts);
  expect(page.url()).not.toContain('token');
  await page.goBack();
  await totalBecomes(page, access.lines);
});

test('a shared link opens the view in another tab, without a token in it', async () => {
  const page = await opened();
  await query(page, 'checkout');
  await totalBecomes(page, access.checkouts);
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByTestId('share').click();
  await textBecomes(page.getByTestId('share'), 'Link copied');
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link).toContain('query=checkout');
  expect(link).not.toContain('token');

  const other = await context.newPage();
  await other.goto(link);
  await totalBecomes(other, access.checkouts);
  await query(page, '');
  await totalBecomes(page, access.lines);
  await inPalette(page, 'share');
  await page.keyboard.press('Enter');
  await page.getByTestId('view-text').fill(link);
  await page.getByRole('button', { name: 'Open the pasted view' }).click();
  await totalBecomes(page, access.checkouts);
});

test('an address that is damaged, of a newer version or of another case shows the plain view', async () => {
  const page = await opened();
  const start = new URL(page.url());
  for (const hash of [
    'timberline-view=',
    'timberline-view=2&query=checkout',
    'case=other.case&timberline-view=1&query=checkout',
  ]) {
    await query(page, 'checkout');
    await totalBecomes(page, access.checkouts);
    await page.goto(`${start.origin}/#${hash}`);
    await notice(page)
      .or(page.getByRole('alert').filter({ hasText: 'other.case' }))
      .waitFor();
    await totalBecomes(page, access.lines);
    await page.getByRole('button', { name: 'Dismiss' }).first().click();
    await page.goBack();
    await totalBecomes(page, access.checkouts);
  }
});

test('a query of 100 kB survives back, forward and a reload', async () => {
  const page = await opened();
  const long = `checkout OR ${'x'.repeat(100_000)}`;
  await page.getByTestId('query').click();
  await page.keyboard.insertText(long);
  await page.keyboard.press('Enter');
  await totalBecomes(page, access.checkouts);
  await page.goBack();
  await totalBecomes(page, access.lines);
  await page.goForward();
  await totalBecomes(page, access.checkouts);
  expect(page.url().length).toBeLessThan(1_000);
  await page.reload();
  await totalBecomes(page, access.checkouts);
});

test('typed times mean the zone of the screen, and their pill names it', async () => {
  const page = await opened();
  await query(page, 'time>=2024-03-05T14:10 time<2024-03-05T14:20');
  await totalBecomes(page, 100);
  await page.keyboard.press('Escape');
  await page.getByTestId('range').click();
  await page.getByTestId('zone').selectOption('Europe/Berlin');
  await totalBecomes(page, 0);
  await textBecomes(page.getByTestId('pill').first(), '(Europe/Berlin)');
  await page.keyboard.press('Escape');
  await query(page, 'time>=2024-03-05T15:10 time<2024-03-05T15:20');
  await totalBecomes(page, 100);
});

test('SQL has several lines, and runs by Enter and by Ctrl+Enter', async () => {
  const page = await opened();
  const bar = page.getByTestId('query');
  for (const key of ['Enter', 'ControlOrMeta+Enter']) {
    await bar.click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.insertText('SELECT count(*) AS found');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.insertText('FROM events -- all of them');
    await page.keyboard.press('Escape');
    await bar.focus();
    await page.keyboard.press(key);
    await textBecomes(page.getByTestId('result-table'), String(access.lines));
    expect((await bar.innerText()).split('\n')).toHaveLength(2);
    await page.getByTestId('tab-events').click();
  }
});
