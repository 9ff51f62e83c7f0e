/** Imports: preview and sources, custom formats, paste, drop, recent cases. */
import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { seriousFindings } from './support/accessible';
import { access, accessLog } from './support/logs';
import { eventually, temporaryFolder } from './support/machine';
import { listBecomes, openBrowser, textBecomes, totalBecomes } from './support/page';
import { picture, pictures } from './support/picture';
import { serve, type Server } from './support/server';

const RELAY = `name = "relay"
title = "relay status lines"
grok = "^%{TIMESTAMP_ISO8601:at} %{WORD:host} %{INT:load:int}$"
time = { from = ["at"], format = "ISO8601" }
`;

let browser: Browser;
let server: Server;
const contexts: BrowserContext[] = [];

beforeAll(async () => {
  browser = await openBrowser();
  server = await serve([]);
});

afterAll(async () => {
  await browser.close();
  await server.stop();
});

afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
});

async function open(scheme: 'light' | 'dark' = 'light'): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    colorScheme: scheme,
    timezoneId: 'UTC',
  });
  contexts.push(context);
  const page = await context.newPage();
  await page.goto(server.address);
  await page.getByTestId('welcome').waitFor();
  return page;
}

function file(name: string, text: string | Buffer): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, text);
  return path;
}

const relayLog = () =>
  file(
    'relay.log',
    Array.from({ length: 30 }, (_, at) =>
      at % 10 === 9
        ? 'nothing of the kind\n'
        : `2026-03-01T14:05:${String(at).padStart(2, '0')} host${at % 3} ${at * 3}\n`,
    ).join(''),
  );

async function choose(page: Page, button: string, files: string[]): Promise<void> {
  const dialog = page.waitForEvent('filechooser');
  await page.getByTestId(button).first().click();
  await (await dialog).setFiles(files);
}

const ended = (page: Page) =>
  page.locator('[data-testid="import-panel"][data-active="false"]').waitFor();

/** Drops files at a position of the window, given in shares, like a file manager. */
async function drop(page: Page, x: number, y: number, name: string, text: string): Promise<void> {
  await page.evaluate(
    ([x, y, name, text]) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([text], name));
      const place = { clientX: innerWidth * x, clientY: innerHeight * y };
      const fire = (type: string) =>
        document.body.dispatchEvent(
          new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true, ...place }),
        );
      fire('dragenter');
      fire('dragover');
      Object.assign(window, { letGo: () => fire('drop') });
    },
    [x, y, name, text] as const,
  );
  const aimed = page.locator('[data-testid="drop-overlay"] .aimed');
  await aimed.waitFor();
  await pictures(page, `drop-${await aimed.getAttribute('data-target')}`);
  await page.evaluate(() => (window as unknown as { letGo(): void }).letGo());
}

describe('the import preview', () => {
  test('shows each file, takes choices, and starts with Enter', async () => {
    const page = await open();
    const odd = file('odd.log', '2026-03-01 14:05:07 INFO one\n2026-03-01 14:05:08 INFO two\n');
    const binary = file(
      'picture.png',
      Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0', 'latin1'),
    );
    await choose(page, 'look-first', [accessLog(), odd, file('empty.log', ''), binary]);
    await page.getByTestId('estimate').waitFor();
    const choices = page.getByTestId('file-choice');
    await expect.poll(() => choices.count()).toBe(4);
    await choices.filter({ hasText: access.name }).click();
    const status = page.getByTestId('preview-lines').locator('[data-field="status"]').first();
    await expect.poll(() => status.innerText()).toMatch(/^(200|500)$/);
    expect(await seriousFindings(page)).toEqual([]);
    await picture(page, 'import-sheet');

    await choices.filter({ hasText: 'picture.png' }).click();
    await page.locator('[data-testid="import-sheet"] [data-code="binary"]').waitFor();
    await choices.filter({ hasText: 'empty.log' }).click();
    await page.locator('[data-testid="import-sheet"] [data-code="empty"]').waitFor();

    await choices.filter({ hasText: 'odd.log' }).click();
    await page.getByTestId('choose-zone').fill('+02:00');
    await page.getByTestId('choose-zone').press('Tab');
    await eventually('the zone', async () =>
      (await page.getByTestId('file-facts').innerText()).includes('12:05:07'),
    );
    await page.getByTestId('choose-offset').fill('soon');
    await page.getByTestId('choose-offset').press('Tab');
    await page.getByRole('alert').filter({ hasText: '1h30m' }).waitFor();
    await expect.poll(() => page.getByTestId('start-import').isDisabled()).toBe(true);
    await page.getByTestId('obstacle').waitFor();
    await page.getByTestId('choose-offset').fill('');
    await page.getByTestId('choose-offset').press('Tab');
    await choices.filter({ hasText: 'odd.log' }).focus();
    await page.getByTestId('start-import').click();
    await ended(page);
    await totalBecomes(page, access.lines + 2);

    // Afterwards each source has the same settings, and can be re-imported.
    await page.getByTestId('open-sources').click();
    const sheet = page.getByTestId('sources-sheet');
    await sheet.waitFor();
    await page.getByTestId('file-choice').filter({ hasText: 'odd.log' }).click();
    await eventually('the zone', async () =>
      (await page.getByTestId('file-facts').innerText()).includes('12:05:07'),
    );
    expect(await seriousFindings(page)).toEqual([]);
    await pictures(page, 'sources');
    await page.getByTestId('choose-offset').fill('1h');
    await page.getByTestId('choose-offset').press('Tab');
    await page.getByTestId('apply-reading').click();
    await textBecomes(page.getByTestId('sources-status'), /^Re-imported\.$/);
    await eventually('the clock', async () =>
      (await page.getByTestId('file-facts').innerText()).includes('13:05:07'),
    );
    // While an offset is set, the source and its rows say so.
    await textBecomes(page.getByTestId('file-choice').filter({ hasText: 'odd.log' }), 'clock +1h');
    await textBecomes(page.getByTestId('source-offset'), '+1h');
    await page.keyboard.press('Escape');
    await textBecomes(page.getByTestId('import-panel'), 'Re-imported 1 source');
    await page.getByTestId('events').focus();
    await page.keyboard.press('End');
    await page.getByTestId('row').getByTestId('clock-shift').first().waitFor();
    await page.getByTestId('open-sources').click();
    await page.getByTestId('file-choice').filter({ hasText: 'odd.log' }).click();
    await page.getByTestId('remove-offset').click();
    await page.getByTestId('apply-reading').click();
    await page.getByTestId('source-offset').waitFor({ state: 'detached' });
  });

  test('takes the time from another field with one click', async () => {
    const page = await open();
    const orders = [0, 1, 2].map(
      (at) =>
        `{"n":${at},"paid":"2026-02-28T12:30:0${at}Z","order":{"placed":${1772195400 + 60 * at}}}\n`,
    );
    await choose(page, 'look-first', [file('orders.jsonl', orders.join(''))]);
    const times = page.getByTestId('time-fields');
    const facts = page.getByTestId('file-facts');
    const chosen = times.locator('strong');
    await textBecomes(chosen, /^paid$/);
    await textBecomes(facts, '2026-02-28 12:30');
    await times.getByRole('button', { name: 'order.placed' }).click();
    await textBecomes(chosen, /^order\.placed$/);
    await textBecomes(facts, '2026-02-27 12:30');
    expect(await seriousFindings(page)).toEqual([]);
    await pictures(page, 'time-field');
    await page.getByTestId('start-import').click();
    await ended(page);
    await totalBecomes(page, orders.length);
    await textBecomes(page.getByTestId('row').first(), '2026-02-27 12:30:00');

    // The field of a source can be changed afterwards.
    await page.getByTestId('open-sources').click();
    await textBecomes(chosen, /^order\.placed$/);
    await times.getByRole('button', { name: 'paid' }).click();
    await page.getByTestId('apply-reading').click();
    await page.keyboard.press('Escape');
    await ended(page);
    await textBecomes(page.getByTestId('row').first(), '2026-02-28 12:30:00');
  });

  test('is readable in dark mode, and by keys alone', async () => {
    const page = await open('dark');
    await choose(page, 'look-first', [accessLog()]);
    await page.getByTestId('preview-row').first().waitFor();
    await page.getByTestId('estimate').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await picture(page, 'import-sheet-dark');
    expect(await page.evaluate(() => document.activeElement?.textContent.trim())).toBe('Import');
    await page.keyboard.press('Enter');
    await totalBecomes(page, access.lines);
  });

  test('rejects an import that does not fit until the reserve may be used', async () => {
    const page = await open();
    await page.route('**/api/call', async (route) => {
      if (!(route.request().postData() ?? '').includes('"preview"')) return route.continue();
      const response = await route.fetch();
      const body = (await response.text()).replaceAll('"fits":true', '"fits":false');
      await route.fulfill({ response, body });
    });
    await choose(page, 'look-first', [accessLog()]);
    await page.getByTestId('no-room').waitFor();
    await expect.poll(() => page.getByTestId('start-import').isDisabled()).toBe(true);
    expect(await seriousFindings(page)).toEqual([]);
    await pictures(page, 'no-room');
    await page.getByTestId('no-room').getByRole('checkbox').check();
    await page.getByTestId('start-import').click();
    await totalBecomes(page, access.lines);
  });
});

describe('a custom format', () => {
  test('is written next to the lines it parses, saved, and used', async () => {
    const page = await open();
    await choose(page, 'look-first', [relayLog()]);
    await page.getByTestId('preview-row').first().waitFor();
    await page.getByTestId('choose-format').selectOption({ label: 'New custom format…' });
    await page.getByTestId('format-editor').waitFor();
    await page.getByTestId('definition').fill(RELAY.replace('%{WORD:host}', '%{WROD:host}'));
    await page.getByTestId('faults').getByText('WROD').waitFor();
    await expect.poll(() => page.getByTestId('save-format').isDisabled()).toBe(true);
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByTestId('definition').fill(RELAY);
    await page.getByTestId('matched').getByText('27 of 30 events match').waitFor();
    await expect
      .poll(() => page.locator('[data-testid="format-editor"] [data-field="load"]').count())
      .toBe(27);
    await page.getByRole('checkbox', { name: 'Not matched' }).check();
    const preview = page.locator('[data-testid="format-editor"] [data-testid="preview-row"]');
    await expect.poll(() => preview.count()).toBe(3);
    expect(await seriousFindings(page)).toEqual([]);
    await pictures(page, 'format-editor');
    await page.getByTestId('save-format').click();
    await page.getByTestId('format-editor').waitFor({ state: 'detached' });
    await eventually('the format', async () =>
      (await page.getByTestId('file-facts').innerText()).includes('relay'),
    );
    await page.getByTestId('start-import').click();
    await totalBecomes(page, 30);
    await page.getByTestId('open-sources').click();
    await eventually('the account', async () =>
      (await page.getByTestId('file-facts').innerText()).includes('relay'),
    );
    await page.getByText('nothing of the kind').first().waitFor();
  });
});

describe('the files of an import', () => {
  const openIs = (page: Page, open: boolean) =>
    page
      .locator(`[data-testid="import-panel"][data-active="false"][data-open="${open}"]`)
      .waitFor();

  test('collapse when a person continues, and expand by key and by mouse', async () => {
    const page = await open();
    await choose(page, 'open-files', [accessLog()]);
    // The files do not collapse by themselves while that would move what is under the mouse.
    await page.getByTestId('events').hover();
    await listBecomes(page, access.lines);
    await openIs(page, true);
    const row = page.locator('[data-testid="row"]').nth(2);
    const before = await row.boundingBox();
    await page.getByTestId('events').hover();
    await page.mouse.wheel(0, 1);
    await openIs(page, false);
    expect((await row.boundingBox())?.y).toBeCloseTo(before!.y, -1);
    const line = await page.getByTestId('import-panel').innerText();
    expect(line).toContain(`Imported ${access.lines} events from 1 file`);
    await expect.poll(() => page.getByTestId('import-file').count()).toBe(0);
    await pictures(page, 'import-folded');

    await page.keyboard.press('i');
    await page.getByTestId('import-file').waitFor();
    await page.keyboard.press('j');
    await openIs(page, true);
    await page.keyboard.press('i');
    await openIs(page, false);
    await page.getByTestId('import-panel').getByRole('button', { expanded: false }).click();
    await page.getByTestId('import-file').waitFor();
  });

  test('collapse by themselves to a line that reports problems', async () => {
    const page = await open();
    await choose(page, 'open-files', [accessLog()]);
    await page.getByTestId('events').hover();
    await openIs(page, true);
    await page.mouse.move(0, 0);
    await openIs(page, false);
    await choose(page, 'add-files', [file('empty.log', '')]);
    const problem = page.getByTestId('import-panel').getByTestId('problem');
    await problem.waitFor();
    await page.keyboard.press('j');
    await openIs(page, false);
    await textBecomes(page.getByTestId('import-problems'), /^1 problem$/);
    await page.getByTestId('import-problems').click();
    await problem.waitFor();
  });
});

describe('text', () => {
  test('is pasted into a new case at once, and into an open one after a question', async () => {
    const page = await open();
    const paste = (text: string) =>
      page.evaluate((text) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', text);
        document.body.dispatchEvent(
          new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
        );
      }, text);
    await paste('2026-03-01T14:05:00Z INFO one\n2026-03-01T14:05:01Z INFO two\n');
    await totalBecomes(page, 2);
    await ended(page);
    await paste('2026-03-01T14:06:00Z WARN <b>three</b>\n');
    await page.getByTestId('paste-sheet').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await pictures(page, 'paste');
    await page.getByTestId('paste-name').fill('from the chat');
    await page.getByTestId('paste-start').click();
    await totalBecomes(page, 3);
    await ended(page);
    // The same text is already imported, and nothing is added.
    await paste('2026-03-01T14:06:00Z WARN <b>three</b>\n');
    await page.getByTestId('paste-start').click();
    await page.getByTestId('import-panel').getByText('already in the case').first().waitFor();
    await totalBecomes(page, 3);
    await pictures(page, 'all-known');
  });
});

describe('dropped files', () => {
  const lines = (word: string) =>
    `2026-03-01T14:05:00Z INFO ${word}\n2026-03-01T14:05:01Z INFO ${word}\n`;

  test('go to the target of the drop zone', async () => {
    const page = await open();
    await drop(page, 0.5, 0.4, 'first.log', lines('first'));
    await totalBecomes(page, 2);
    await ended(page);
    await drop(page, 0.5, 0.4, 'second.log', lines('second'));
    await totalBecomes(page, 4);
    await ended(page);

    const newPage = page.context().waitForEvent('page');
    await drop(page, 0.95, 0.4, 'third.log', lines('third'));
    await totalBecomes(await newPage, 2);
    await totalBecomes(page, 4);

    await drop(page, 0.5, 0.95, 'fourth.log', lines('fourth'));
    await page.getByTestId('import-sheet').waitFor();
    await page.keyboard.press('Escape');
    await page.getByTestId('import-sheet').waitFor({ state: 'detached' });
    await totalBecomes(page, 4);

    await drop(page, 0.05, 0.4, 'fifth.log', lines('fifth'));
    await totalBecomes(page, 2);
  });
});

describe('recent cases', () => {
  test('show their content, are found after a move, and removed from the list', async () => {
    const page = await open();
    await choose(page, 'open-files', [accessLog()]);
    await totalBecomes(page, access.lines);
    await ended(page);
    const name = await page.getByRole('heading', { level: 1 }).innerText();
    const cases = join(server.home, 'cases');
    const folder = readdirSync(cases).find((each) => each === `${name}.case`);
    expect(folder).toBeDefined();
    const moved = join(server.home, 'archive');
    mkdirSync(moved, { recursive: true });
    renameSync(join(cases, folder!), join(moved, folder!));
    await page.getByRole('button', { name: 'All cases' }).click();

    const recent = page.getByTestId('recent');
    const gone = recent.and(page.locator('[data-state="gone"]')).first();
    await gone.getByText('Not found').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await picture(page, 'recent-gone');
    await gone.getByRole('button', { name: 'Find it' }).click();
    await page.getByTestId('open-found').click();
    await totalBecomes(page, access.lines);
    await page.getByRole('button', { name: 'All cases' }).click();
    const back = recent.filter({ hasText: name }).first();
    await back.getByText('2024-03-05 14:00').waitFor();
    // Only the first cases are listed at once.
    const all = page.getByTestId('all-recent');
    if (await all.isVisible()) await all.click();
    const before = await recent.count();
    await back.getByTestId('case-actions').click();
    await page.getByTestId('case-actions-forget').click();
    await eventually('a shorter list', async () => (await recent.count()) === before - 1);
  });
});
