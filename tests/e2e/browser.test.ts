/** The workbench in a browser, with `timberline serve`. */
import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { root } from '../../scripts/paths.mjs';
import { seriousFindings } from './support/accessible';
import {
  access,
  accessLog,
  longLines,
  longLog,
  millionLines,
  needle,
  sample,
} from './support/logs';
import { eventually, figure, out, temporaryFolder } from './support/machine';
import {
  brush,
  buckets,
  fewerThan,
  lastRow,
  listBecomes,
  openBrowser,
  query,
  rowProblems,
  rowsAreWhole,
  suggestions,
  textBecomes,
  total,
  totalBecomes,
} from './support/page';
import { picture, pictures } from './support/picture';
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

async function server(paths: string[], home?: string): Promise<Server> {
  const started = await serve(paths, home);
  opened.push(started);
  return started;
}

async function open(address: string, colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
  const context: BrowserContext = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    colorScheme,
    timezoneId: 'UTC',
  });
  opened.push({ stop: () => context.close() });
  const page = await context.newPage();
  await page.goto(address);
  return page;
}

describe('a log named on the command line', () => {
  test('is imported, counted, filtered, and shown in detail', async () => {
    const page = await open((await server([accessLog()])).address);
    await totalBecomes(page, access.lines);
    expect(await buckets(page)).toBeGreaterThan(10);
    await expect
      .poll(() => page.getByTestId('timeline').getAttribute('data-total'))
      .toBe(String(access.lines));
    expect(await seriousFindings(page)).toEqual([]);

    await query(page, 'checkout');
    await totalBecomes(page, access.checkouts);
    await query(page, 'status:200');
    await listBecomes(page, access.lines - access.checkouts);

    await page.locator('[data-testid="row"]').first().click();
    await page.getByTestId('detail').waitFor();
    await page.getByTestId('detail-tab-raw').click();
    await expect.poll(() => page.getByTestId('detail-raw').innerText()).toContain('HTTP/1.1');
    expect(await seriousFindings(page)).toEqual([]);
    await pictures(page, 'detail');
    await page.getByTestId('detail-close').click();
    await page.getByTestId('detail').waitFor({ state: 'detached' });
  });

  test('shows where a query is wrong and keeps the last answer', async () => {
    const page = await open((await server([accessLog()])).address);
    await totalBecomes(page, access.lines);
    await query(page, '(checkout OR');
    await page.getByTestId('query-error').waitFor();
    expect(await total(page)).toBe(access.lines);
    expect(await seriousFindings(page)).toEqual([]);
    await query(page, '');
    await page.getByTestId('query-error').waitFor({ state: 'detached' });
  });

  test('is completed and fixed while a query is typed', async () => {
    const page = await open((await server([accessLog()])).address);
    await totalBecomes(page, access.lines);
    const bar = page.getByTestId('query');
    await bar.click();
    await page.keyboard.type('stat');
    await suggestions(page).getByText('status').first().waitFor();
    // Names are whole, however long their descriptions are.
    const cut = await page
      .locator('.cm-completionLabel')
      .evaluateAll((all) => all.filter((name) => name.scrollWidth > name.clientWidth).length);
    expect(cut).toBe(0);
    await pictures(page, 'completion');
    await eventually('the field in the query', async () => {
      await page.keyboard.press('Tab');
      return (await bar.innerText()).includes('status');
    });

    await query(page, 'sttaus:200');
    await page.getByTestId('query-fix').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await pictures(page, 'query-fix');
    await bar.click();
    await page.keyboard.press('Alt+Enter');
    await totalBecomes(page, access.lines - access.checkouts);
    await page.keyboard.press('ControlOrMeta+Z');
    await expect.poll(() => bar.innerText()).toBe('sttaus:200');
  });

  test('is queried in SQL, with completion and error messages', async () => {
    const page = await open((await server([accessLog()])).address);
    await totalBecomes(page, access.lines);
    const bar = page.getByTestId('query');
    await bar.click();
    await page.keyboard.type('SELECT stat');
    const offered = suggestions(page).locator('li');
    await eventually('only the column', async () => (await offered.count()) === 1);
    await expect.poll(() => offered.innerText()).toContain('BIGINT');
    await eventually('the column in the statement', async () => {
      await page.keyboard.press('Tab');
      return (await bar.innerText()) === 'SELECT status';
    });
    await page.getByTestId('query-mode').waitFor();
    await page.keyboard.type(', count(*) AS n FROM events GROUP BY 1 ORDER BY n DESC');
    await expect.poll(() => bar.innerText()).toContain('SELECT status, count');
    // With suggestions or without: an Escape would leave the bar if there were none.
    await page.keyboard.press('Enter');
    const result = page.getByTestId('result');
    await page.waitForSelector('[data-testid="result"][data-fraction="1"]');
    expect(Number(await result.getAttribute('data-total'))).toBeGreaterThan(1);
    await textBecomes(result, '200');
    expect(await seriousFindings(page)).toEqual([]);

    await query(page, 'SELECT sttaus FROM events');
    await textBecomes(page.getByTestId('query-error'), 'status');
    await query(page, '');
    await page.getByTestId('query-mode').waitFor({ state: 'detached' });
  });

  test('is narrowed by a brush on the timeline and widened again', async () => {
    const page = await open((await server([accessLog()])).address);
    await totalBecomes(page, access.lines);
    await brush(page, 0.25, 0.5);
    const narrowed = await fewerThan(page, access.lines);
    expect(narrowed).toBeGreaterThan(access.lines / 6);
    expect(narrowed).toBeLessThan(access.lines / 3);
    expect((await page.getByTestId('range').innerText()).length).toBeGreaterThan(0);
    await page.getByTestId('back').click();
    await totalBecomes(page, access.lines);
    await brush(page, 0.1, 0.2);
    await page.getByTestId('range-clear').click();
    await totalBecomes(page, access.lines);
  });

  test('is readable in dark mode', async () => {
    const page = await open((await server([accessLog()])).address, 'dark');
    await totalBecomes(page, access.lines);
    expect(await seriousFindings(page)).toEqual([]);
    await picture(page, 'dark');
  });
});

describe('the welcome screen', () => {
  test.each(['light', 'dark'] as const)('is accessible (%s)', async (scheme) => {
    const page = await open((await server([])).address, scheme);
    await page.getByTestId('welcome').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await picture(page, `welcome-${scheme}`);
  });

  test('opens the sample with one button', async () => {
    const page = await open((await server([])).address);
    await page.getByTestId('load-sample').click();
    await eventually('the sample', async () => ((await total(page)) ?? 0) > 100);
    await eventually('bars', async () => (await buckets(page)) > 3);
    expect(await seriousFindings(page)).toEqual([]);
    await pictures(page, 'sample');
  });

  test('leads to the patterns of the messages, which filter', async () => {
    const page = await open((await server([])).address);
    await page.getByTestId('load-sample').click();
    await totalBecomes(page, sample.events);
    await page.keyboard.press('Alt+3');
    const patterns = page.getByTestId('pattern');
    await patterns.nth(3).waitFor();
    await patterns.first().getByRole('button', { expanded: false }).click();
    await page.getByTestId('pattern-variables').getByRole('list').first().waitFor();
    const examples = page.getByTestId('pattern-examples').getByRole('button');
    await eventually('three examples', async () => (await examples.count()) === 3);
    expect(await seriousFindings(page)).toEqual([]);
    await pictures(page, 'patterns');
    await patterns.first().getByRole('button', { name: 'Include this pattern' }).click();
    expect(await fewerThan(page, sample.events)).toBeGreaterThan(0);
    await expect.poll(() => page.getByTestId('query').innerText()).toContain('template=');
    // A pill shows the text of the pattern instead of its id.
    await page
      .getByTestId('pill')
      .filter({ hasText: /pattern: .*[a-z]/ })
      .waitFor();
    await page.getByTestId('tab-events').click();
    await page.locator('[data-testid="row"]').first().waitFor();
  });

  test('takes files from a file dialog', async () => {
    const page = await open((await server([])).address);
    const dialog = page.waitForEvent('filechooser');
    await page.getByTestId('open-files').first().click();
    await (await dialog).setFiles(accessLog());
    await totalBecomes(page, access.lines);
  });
});

describe('failures', () => {
  test('a missing file is named, and the others are read', async () => {
    const missing = join(temporaryFolder(), 'nowhere.log');
    const page = await open((await server([accessLog(), missing])).address);
    await totalBecomes(page, access.lines);
    await eventually('the name of the missing file', async () =>
      (await page.locator('body').innerText()).includes('nowhere.log'),
    );
    expect(await seriousFindings(page)).toEqual([]);
    await pictures(page, 'missing-file');
  });

  test(
    'a second window on a case that is being written is read-only',
    { timeout: 180_000 },
    async () => {
      const first = await server([longLog()]);
      const writing = await open(first.address);
      await eventually('the first events', async () => ((await total(writing)) ?? 0) > 0);
      const page = await open((await server([onlyCase(first.home)], first.home)).address);
      await eventually('the first events', async () => ((await total(page)) ?? 0) > 0);
      await page.getByTestId('readonly').waitFor();
      expect(await seriousFindings(page)).toEqual([]);
      await picture(page, 'readonly');
      // It follows the first window, and may write when that one has finished.
      await totalBecomes(page, longLines, 120_000);
      await page.getByTestId('readonly').waitFor({ state: 'detached', timeout: 60_000 });
    },
  );

  test('a cancelled import keeps its events', { timeout: 180_000 }, async () => {
    const page = await open((await server([longLog()])).address);
    await eventually('the first events', async () => ((await total(page)) ?? 0) > 0);
    await page.getByTestId('cancel').first().click();
    await page.getByTestId('cancel').waitFor({ state: 'detached', timeout: 60_000 });
    const kept = await total(page);
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeLessThan(longLines);
    await picture(page, 'stopped');
    await rowsAreWhole(page);
    const unread = page.getByTestId('unread');
    await textBecomes(unread, '1 file is not read to the end');
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByTestId('continue').click();
    await unread.waitFor({ state: 'detached' });
    await totalBecomes(page, longLines, 120_000);
  });

  test(
    'an import goes on over a reload, and every page shows it',
    { timeout: 180_000 },
    async () => {
      const { address } = await server([longLog(), accessLog()]);
      const page = await open(address);
      await eventually('the first events', async () => ((await total(page)) ?? 0) > 0);
      await page.reload();
      await page.getByTestId('cancel').first().waitFor();
      const second = await open(address);
      for (const each of [page, second]) {
        await totalBecomes(each, longLines + access.lines, 120_000);
        // The page that came last may have seen no import, and hears of the end a second later.
        const panel = each.locator('[data-testid="import-panel"][data-active="true"]');
        for (const gone of [panel, each.getByTestId('incomplete'), each.getByTestId('unread')]) {
          await gone.waitFor({ state: 'detached' });
        }
        await each.getByTestId('open-sources').click();
        await textBecomes(each.getByTestId('sources-sheet'), access.name);
        await each.keyboard.press('Escape');
      }
    },
  );

  test('a re-read goes on over a reload in each of its states', { timeout: 180_000 }, async () => {
    const page = await open((await server([accessLog(), millionLines()])).address);
    const first = page.locator('[data-testid="row"][data-index="0"]');
    const running = page.locator('[data-testid="import-panel"][data-active="true"]');
    const chooseOffset = async (offset: string) => {
      await page.getByTestId('open-sources').click();
      await page.getByTestId('file-choice').filter({ hasText: access.name }).first().click();
      await page.getByTestId('choose-offset').fill(offset);
      await page.getByTestId('choose-offset').blur();
    };
    await eventually('the first events', async () => ((await total(page)) ?? 0) > 0);
    await query(page, `source:${access.name}`);
    await totalBecomes(page, access.lines);
    await first.filter({ hasText: '14:00:00' }).waitFor();

    // What is only chosen goes with the page.
    await chooseOffset('5h');
    await page.reload();
    await totalBecomes(page, access.lines);
    // What waits for the import, and then runs, does not.
    await chooseOffset('1h');
    await page.getByTestId('apply-reading').click();
    await page.keyboard.press('Escape');
    await page.reload();
    await first.filter({ hasText: '15:00:00' }).waitFor({ timeout: 120_000 });
    await running.waitFor({ state: 'detached', timeout: 120_000 });
    await page.reload();
    await totalBecomes(page, access.lines);
    await first.filter({ hasText: '15:00:00' }).waitFor();
    await expect.poll(() => page.getByTestId('unread').count()).toBe(0);
  });
});

describe('files that are still being read', () => {
  test(
    'are searched for a word, and their lines are shown until they are events',
    { timeout: 180_000 },
    async () => {
      const page = await open((await server([longLog()])).address);
      await eventually('the first events', async () => ((await total(page)) ?? 0) > 0);
      await query(page, needle);
      await textBecomes(page.getByTestId('ahead-lines'), `GET /${needle}`);
      await textBecomes(page.getByTestId('ahead'), /^1 line in the files/);
      await picture(page, 'ahead');
      await totalBecomes(page, 1, 120_000);
      await page.getByTestId('ahead').waitFor({ state: 'detached', timeout: 120_000 });
    },
  );
});

describe('a million lines', () => {
  test(
    'shows its first histogram while they are read and scrolls without a gap',
    { timeout: 300_000 },
    async () => {
      const file = millionLines();
      const { address } = await server([file]);
      const page = await open('about:blank');
      const asked = page.waitForRequest((request) =>
        (request.postData() ?? '').includes('"import"'),
      );
      await page.goto(address);
      await asked;
      const began = Date.now();
      const drawn = await page.waitForFunction(() => {
        const timeline = document.querySelector('[data-testid="timeline"]');
        const reading = document.querySelector('[data-testid="import-panel"]');
        const isDrawn = Number(timeline?.getAttribute('data-buckets')) > 0;
        return isDrawn && { active: reading?.getAttribute('data-active') };
      });
      const elapsed = Date.now() - began;
      figure(
        `First histogram of 1,000,000 lines in the browser: ${elapsed} ms after the import was asked for (wanted: under 1000 ms)`,
      );
      expect(await drawn.jsonValue()).toEqual({ active: 'true' });

      await totalBecomes(page, 1_000_000, 120_000);
      const list = page.getByTestId('events');
      await list.hover();
      let slowest = await settle(page);
      for (let turn = 0; turn < 20; turn += 1) {
        await page.mouse.wheel(0, 700);
        slowest = Math.max(slowest, await settle(page));
      }
      const ends: number[] = [];
      for (const share of [0.2, 0.5, 0.77, 1, 0.33, 0]) {
        await list.evaluate(scrollTo, share);
        slowest = Math.max(slowest, await settle(page));
        ends.push(await lastRow(page));
      }
      expect(Math.max(...ends)).toBe(999_999);
      expect(Math.min(...ends)).toBeLessThan(100);
      figure(
        `Rows in view after a jump in 1,000,000 lines: ${slowest} ms at most (wanted: under 1000 ms)`,
      );
      await picture(page, 'million');
    },
  );
});

describe('the screenshot in the README', () => {
  test('shows the errors of the sample', async () => {
    // The screenshot shows the path of the case, so the path is fixed.
    const home = join(tmpdir(), 'timberline');
    rmSync(home, { recursive: true, force: true });
    const page = await open((await server([], home)).address);
    await page.getByTestId('load-sample').click();
    await totalBecomes(page, sample.events);
    // It is there when the import has ended.
    await page.getByTestId('import-panel').getByRole('button', { name: 'Dismiss' }).click();
    await query(page, 'level>=warn');
    const warnings = await fewerThan(page, sample.events);
    await brush(page, 0.45, 0.7);
    await listBecomes(page, await fewerThan(page, warnings));
    await page.locator('[data-testid="row"]').nth(8).click();
    await page.getByTestId('detail').waitFor();
    await picture(page, 'workbench');
    rmSync(home, { recursive: true, force: true });
    if (!process.env['TIMBERLINE_BLESS']) return;
    const images = join(root, 'docs', 'images');
    mkdirSync(images, { recursive: true });
    copyFileSync(join(out, 'browser-workbench.png'), join(images, 'workbench.png'));
  });
});

/** Milliseconds until all visible rows are loaded. */
async function settle(page: Page): Promise<number> {
  const began = Date.now();
  // The list handles the scroll in the next frame; before that the old rows are still visible.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
  let problems: string[] = [];
  const whole = async () => (problems = await rowProblems(page)).length === 0;
  await eventually('rows in view', whole, 3_000).catch(() => expect(problems).toEqual([]));
  return Date.now() - began;
}

/** Scrolls the list to a share of its height. */
function scrollTo(list: Element, share: number): void {
  const scrolls = [list, ...list.querySelectorAll('*')].find(
    (element) => element.scrollHeight > element.clientHeight + 10,
  );
  if (scrolls) scrolls.scrollTop = share * (scrolls.scrollHeight - scrolls.clientHeight);
}

/** The case that a server made below its data folder. */
function onlyCase(home: string): string {
  const names = readdirSync(home, { recursive: true, encoding: 'utf8' });
  const found = names.find((name) => name.endsWith('.case'));
  if (!found) throw new Error(`no case below ${home}`);
  return join(home, found);
}
