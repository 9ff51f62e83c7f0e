/** Live sources: followed, paused, offered again; the Live switch; a case that another process writes. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

import { seriousFindings } from './support/accessible';
import { end, eventually, firstLine, start, temporaryFolder, timberline } from './support/machine';
import { attributeBecomes, openBrowser, textBecomes, total, totalBecomes } from './support/page';
import { drawn, picture, pictures } from './support/picture';
import { serve, type Server } from './support/server';

let browser: Browser;
const opened: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  browser = await openBrowser();
});

afterAll(() => browser.close());

afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.stop();
});

async function started(paths: string[] = []): Promise<{ page: Page; server: Server }> {
  const server = await serve(paths);
  opened.push(server);
  const viewport = { width: 1280, height: 800 };
  const context: BrowserContext = await browser.newContext({ viewport, timezoneId: 'UTC' });
  opened.push({ stop: () => context.close() });
  const page = await context.newPage();
  await page.goto(server.address);
  return { page, server };
}

/** A file that a program writes, with times of the clock. */
class GrowingLog {
  readonly path = join(temporaryFolder(), 'app.log');
  lines = 0;

  constructor() {
    writeFileSync(this.path, '');
  }

  write(lines: number): void {
    let text = '';
    for (let line = 0; line < lines; line += 1) {
      this.lines += 1;
      text += `${new Date().toISOString()} INFO worker: request ${this.lines} done\n`;
    }
    appendFileSync(this.path, text);
  }
}

const source = (page: Page) => page.getByTestId('live-source').first();

const stateBecomes = (page: Page, state: string) =>
  attributeBecomes(source(page), 'data-state', state);

const acceptedBecome = (page: Page, lines: number) =>
  attributeBecomes(source(page), 'data-accepted', String(lines));

interface ShownRow {
  index: number;
  text: string;
}

/** The rows in the page. All at once, because rows come and go while the list scrolls. */
function shownRows(page: Page): Promise<ShownRow[]> {
  return page.locator('[data-testid="row"]').evaluateAll((all) =>
    all.map((row) => ({
      index: Number((row as HTMLElement).dataset['index']),
      text: (row as HTMLElement).innerText,
    })),
  );
}

/** The text of the first row when the list is at rest: one turn of the wheel can take several frames. */
function restingRow(page: Page): Promise<string> {
  let before: string | undefined;
  return eventually('a list at rest', async () => {
    await drawn(page);
    const [first] = await shownRows(page);
    const isAtRest = first !== undefined && first.text === before;
    before = first?.text;
    return isAtRest ? first.text : null;
  });
}

/** Whether the last row of the list is in sight, with its text. All at once, because rows come and go meanwhile. */
function isAtEnd(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const list = document.querySelector<HTMLElement>('[data-testid="events"]');
    const rows = Number(list?.dataset['total'] ?? 0);
    const last = document.querySelector(`[data-testid="row"][data-index="${rows - 1}"]`);
    return rows > 0 && (last?.textContent ?? '').includes('request');
  });
}

async function follow(page: Page, path: string): Promise<void> {
  await page.getByTestId('live-follow').check();
  await page.getByTestId('live-paths').fill(path);
  await page.getByTestId('live-start').click();
}

test('a file is followed, paused, imported next to, and offered again', async () => {
  const { page, server } = await started();
  const log = new GrowingLog();
  log.write(3);
  await page.getByTestId('receive-live').click();
  await page.getByTestId('live-sheet').waitFor();
  await page.getByTestId('live-start').click();
  await textBecomes(page.getByTestId('live-mistake'), 'at least one');
  await page.getByTestId('live-http').check();
  await page.getByTestId('live-port').fill(new URL(server.address).port);
  await page.getByTestId('live-start').click();
  await textBecomes(page.getByTestId('problem'), /in use by .*timberline/);
  await page.getByTestId('live-port').fill('9234');
  const lines = await page.getByTestId('live-lines').allInnerTexts();
  expect(lines.length > 2 && lines.every((line) => line.includes('9234'))).toBe(true);
  expect(await seriousFindings(page)).toEqual([]);
  await pictures(page, 'live-sheet');

  // What holds for all live sources of the case, and what this one is read as.
  await page.getByTestId('live-follow').check();
  await page.getByTestId('live-format').selectOption('text');
  await page.getByTestId('live-refresh').selectOption('200');
  await page.getByTestId('live-keep-time').selectOption('168');
  await page.getByTestId('live-syslog').check();
  await page.getByTestId('live-zone').fill('Europe/Berlin');
  await page.getByTestId('live-add-part').click();
  await page.getByTestId('live-part-of').selectOption('tag');
  await page.getByTestId('live-part-name').fill('nginx');
  await page.getByTestId('live-part-format').selectOption('access');
  expect(await seriousFindings(page)).toEqual([]);
  await pictures(page, 'live-sheet-parts');
  await page.getByRole('button', { name: 'Remove nginx' }).click();
  await expect.poll(() => page.getByTestId('live-part').count()).toBe(0);
  await page.getByTestId('live-zone').fill('');
  await page.getByTestId('live-transport').selectOption('unix');
  await page.getByTestId('live-socket').fill('/run/app/log');
  await textBecomes(page.getByTestId('live-lines').first(), '/run/app/log');
  expect(await seriousFindings(page)).toEqual([]);
  await pictures(page, 'live-sheet-socket');
  await follow(page, log.path);
  await totalBecomes(page, 3);
  const counters = page.getByTestId('live-counters');
  await textBecomes(counters, 'p99');
  await textBecomes(counters, /Queue .*peak .*0 stalls.*Sync p50 .*Visible after p50/);
  await page.getByTestId('live-add').click();
  await expect.poll(() => page.getByTestId('live-refresh').inputValue()).toBe('200');
  await expect.poll(() => page.getByTestId('live-keep-time').inputValue()).toBe('168');
  await page.keyboard.press('Escape');
  log.write(4);
  await totalBecomes(page, 7);
  await acceptedBecome(page, 7);
  await expect.poll(() => page.getByTestId('incomplete').count()).toBe(0);
  expect(await seriousFindings(page)).toEqual([]);

  const other = join(temporaryFolder(), 'other.log');
  writeFileSync(other, '2026-03-01T14:05:00Z INFO one\n2026-03-01T14:05:01Z INFO two\n');
  const dialog = page.waitForEvent('filechooser');
  await page.getByTestId('add-files').click();
  await (await dialog).setFiles([other]);
  await totalBecomes(page, 9);
  log.write(1);
  await totalBecomes(page, 10);

  await page.getByTestId('live-pause').click();
  await stateBecomes(page, 'paused');
  log.write(2);
  await page.getByTestId('live-resume').click();
  await totalBecomes(page, 12);

  await page.getByTestId('case-menu').click();
  await page.getByTestId('case-menu-close').click();
  const recent = page.getByTestId('recent-cases').getByRole('button', { name: /app/ }).first();
  await eventually('the case to be closed', () => recent.isEnabled());
  log.write(5);
  await recent.click();
  await page.getByTestId('live-offer').waitFor();
  await totalBecomes(page, 12);
  await picture(page, 'live-offer');
  await page.getByTestId('live-restart').click();
  await stateBecomes(page, 'running');
  await totalBecomes(page, 17);
  await page.getByTestId('live-remove').click();
  await page.getByTestId('live-panel').waitFor({ state: 'detached' });
  expect(await total(page)).toBe(17);
});

test('the Live switch follows new events until somebody scrolls away', async () => {
  const { page } = await started();
  const log = new GrowingLog();
  log.write(60);
  await page.getByTestId('receive-live').click();
  await follow(page, log.path);
  await totalBecomes(page, 60);
  await page.getByTestId('live-switch').click();
  await eventually('the end of the list', () => isAtEnd(page));
  await expect.poll(() => page.getByTestId('range').innerText()).toContain('15 minutes');
  log.write(500);
  await totalBecomes(page, 560);
  await eventually('the new end of the list', () => isAtEnd(page));
  await pictures(page, 'live');

  await page.getByTestId('events').hover();
  await page.mouse.wheel(0, -240);
  const newest = page.getByTestId('live-newest');
  await newest.waitFor();
  const seen = await restingRow(page);
  log.write(1204);
  await textBecomes(newest, '1,204 new events');
  expect((await shownRows(page))[0]?.text).toBe(seen);
  expect(await total(page)).toBe(560);
  expect(await seriousFindings(page)).toEqual([]);
  await picture(page, 'live-stopped');
  await newest.click();
  await totalBecomes(page, 1764);
  await eventually('the end of the list again', () => isAtEnd(page));

  // Undo leads to the range before, and nothing is followed any more.
  await page.getByTestId('undo').click();
  await attributeBecomes(page.getByTestId('live-switch'), 'aria-pressed', 'false');
});

test('rows stay in their places while the list of all times is stopped', async () => {
  const { page } = await started();
  const log = new GrowingLog();
  log.write(2000);
  await page.getByTestId('receive-live').click();
  await follow(page, log.path);
  await totalBecomes(page, 2000);
  await page.getByTestId('order').click();
  await page.getByTestId('live-length').click();
  await page.getByTestId('live-length-all').click();
  const row = (index: number) => page.locator(`[data-testid="row"][data-index="${index}"]`);
  await textBecomes(row(0), 'request 2000 ');
  await page.getByTestId('events').hover();
  await page.mouse.wheel(0, 400);
  const newest = page.getByTestId('live-newest');
  await newest.waitFor();
  log.write(3000);
  await textBecomes(newest, '3,000 new events');
  // Pages that were never requested before have the rows of then.
  await page.mouse.wheel(0, 24_000);
  const below = await eventually('rows far below', async () => {
    const last = (await shownRows(page)).at(-1);
    return last !== undefined && last.index > 800 && last.text.includes('request') ? last : null;
  });
  expect(below.text).toContain(`request ${2000 - below.index} `);
  await newest.click();
  await totalBecomes(page, 5000);
  await textBecomes(row(0), 'request 5000 ');
});

test('a case that another process writes is followed too', async () => {
  const log = new GrowingLog();
  log.write(20);
  const folder = join(temporaryFolder(), 'other.case');
  const arguments_ = ['listen', folder, '--json', '--refresh', '200ms', '--follow', log.path];
  const listening = start('listen', timberline, arguments_, { pipe: true });
  opened.push({ stop: () => end(listening) });
  await firstLine(listening);
  const { page } = await started([folder]);
  await totalBecomes(page, 20);
  await page.getByTestId('readonly').waitFor();
  // Its sources and counters are shown, and are the other process's to change.
  await source(page).waitFor();
  await expect.poll(() => page.getByTestId('live-add').isDisabled()).toBe(true);
  for (const control of ['live-pause', 'live-remove']) {
    await expect.poll(() => page.getByTestId(control).count()).toBe(0);
  }
  await page.getByTestId('live-switch').click();
  log.write(300);
  await totalBecomes(page, 320);
  await acceptedBecome(page, 320);
  expect(await seriousFindings(page)).toEqual([]);
  await pictures(page, 'live-of-another');
  await eventually('the end of the list', () => isAtEnd(page));
});

test('a server that is ended has everything that it received in the case', async () => {
  const { page, server } = await started();
  const log = new GrowingLog();
  log.write(30);
  await page.getByTestId('receive-live').click();
  await follow(page, log.path);
  await totalBecomes(page, 30);
  log.write(7);
  await acceptedBecome(page, 37);
  await server.stop();
  const read = (name: string): { sources: Record<string, unknown>[] } =>
    JSON.parse(readFileSync(join(server.home, 'cases', 'app.case', name), 'utf8')) as never;
  expect(read('case.json').sources).toMatchObject([{ complete: true, events: 37 }]);
  expect(read('live.json').sources).toMatchObject([{ kind: 'follow', paused: false }]);
});
