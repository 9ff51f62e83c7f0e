/** A detector is made from a query, tried at other levels, kept in the case, and its alerts are on the timeline. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { seriousFindings } from './support/accessible';
import { eventually, temporaryFolder } from './support/machine';
import {
  brush,
  openBrowser,
  query,
  restingBox,
  suggestions,
  textBecomes,
  totalBecomes,
} from './support/page';
import { pictures } from './support/picture';
import { serve, type Server } from './support/server';

const MINUTES = 120;
const CALM = 10;
const BURST = 60;
const bursts = new Set([60, 61, 62, 100]);
const perMinute = (minute: number): number => (bursts.has(minute) ? BURST : CALM);
const EVENTS = Array.from({ length: MINUTES }, (_, minute) => perMinute(minute)).reduce(
  (sum, count) => sum + count,
  0,
);

/** Two hours of requests: ten a minute, and sixty in four of them. */
function requests(): string {
  const start = Date.UTC(2026, 2, 1, 14);
  const lines = Array.from({ length: MINUTES }, (_, minute) =>
    Array.from({ length: perMinute(minute) }, (_, at) => {
      const time = start + minute * 60_000 + Math.floor((at * 60_000) / perMinute(minute));
      return JSON.stringify({
        time: new Date(time).toISOString(),
        app: 'web',
        status: bursts.has(minute) && at % 2 === 0 ? 500 : 200,
        message: `answer ${at}`,
      });
    }),
  );
  const path = join(temporaryFolder(), 'requests.jsonl');
  writeFileSync(path, `${lines.flat().join('\n')}\n`);
  return path;
}

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
  await page
    .locator('[data-testid="import-panel"][data-active="true"]')
    .waitFor({ state: 'detached' });
  return page;
}

const fires = (page: Page, wanted: number) =>
  page.locator(`[data-testid="sentence"][data-alerts="${wanted}"]`).waitFor();

/** Waits until the definition has the level that is shown: until then another one is being tried. */
async function levelIsTried(page: Page): Promise<void> {
  await eventually('the level in the definition', async () => {
    const level = await page.getByTestId('level-slider').getAttribute('aria-valuetext');
    return (await page.getByTestId('definition-text').innerText()).includes(`above = ${level},`);
  });
}

async function definition(page: Page, text: string): Promise<void> {
  await page.getByTestId('definition-text').click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.insertText(text);
}

const BUSY = `[[detector]]
name = "busy"
title = "Many requests"
severity = "high"
query = "app:web"
threshold = { above = 30, every = "1m" } # as in March
`;

const LEARNS = 'pattern = { new = true, learn = "1d" }';

describe('a detector', () => {
  test('is made from a query, dragged, saved, and leads to its events', async () => {
    const page = await newPage();
    await query(page, 'app:web');
    await totalBecomes(page, EVENTS);
    await page.getByTestId('tab-detectors').click();
    const starter = page.locator('[data-testid="detector"][data-name="starter.error-ratio"]');
    await starter.getByTestId('fired').filter({ hasText: /^1$/ }).waitFor();
    await page.getByTestId('new-detector').click();
    await page.getByTestId('back-test').waitFor();
    // Suggested well beyond the median, which the bursts are.
    await fires(page, 2);

    await definition(page, BUSY.replace('above', 'abov'));
    await page.getByTestId('definition-problems').getByText('Line 6').waitFor();
    await expect.poll(() => page.getByTestId('save-detector').isDisabled()).toBe(true);
    // The last valid result stays, under a banner.
    await page.getByTestId('definition-invalid').waitFor();
    await fires(page, 2);
    await expect.poll(() => page.getByTestId('level-slider').isDisabled()).toBe(true);
    await definition(page, BUSY);
    await page.getByTestId('definition-invalid').waitFor({ state: 'detached' });
    await page
      .getByTestId('definition-problems')
      .getByText('Line 6')
      .waitFor({ state: 'detached' });
    // Only then is a level one of this definition.
    await page.locator('[data-testid="back-test"][aria-busy="false"]').waitFor();
    await fires(page, 2);
    await textBecomes(page.getByTestId('sentence'), '4 min in total');
    await page.getByTestId('form-above').fill('70');
    await page.keyboard.press('Enter');
    await fires(page, 0);
    await textBecomes(page.getByTestId('sentence'), 'Quiet: 120 bins judged');
    await page.getByTestId('form-above').fill('5');
    await page.keyboard.press('Enter');
    await fires(page, 1);
    await page.getByTestId('level-slider').focus();
    await eventually('a level between calm and burst', async () => {
      for (let press = 0; press < 20; press += 1) await page.keyboard.press('ArrowRight');
      await levelIsTried(page);
      return (await page.getByTestId('sentence').getAttribute('data-alerts')) === '2';
    });

    await page.getByTestId('measure-canvas').scrollIntoViewIfNeeded();
    const box = await restingBox(page.getByTestId('measure-canvas'));
    await page.mouse.move(box.x + box.width / 3, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 3, box.y + box.height - 24, { steps: 4 });
    await fires(page, 1);
    await page.mouse.move(box.x + box.width / 3, box.y + box.height / 3, { steps: 4 });
    await page.mouse.up();
    await levelIsTried(page);
    await fires(page, 2);
    await expect
      .poll(() => page.getByTestId('definition-text').innerText())
      .toContain('# as in March');
    expect(await seriousFindings(page)).toEqual([]);
    await pictures(page, 'detectors');

    await page.getByTestId('save-detector').click();
    await page.getByTestId('detector-state').getByText('saved', { exact: true }).waitFor();
    const own = page.locator('[data-testid="detector"][data-name="busy"]');
    await own.getByTestId('fired').filter({ hasText: /^2$/ }).waitFor();
    const flag = page.getByTestId('alert-flag').and(page.getByTitle(/^High: Many requests/));
    await eventually('flags', async () => (await flag.count()) === 2);
    // All flags are one stop of Tab; arrow keys go to the next in time, and Enter opens the alert.
    const focused = (): Promise<string | null> =>
      page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? null);
    await page.locator('[data-testid="detectors"][aria-busy="false"]').waitFor();
    const titles = await page
      .getByTestId('alert-flag')
      .evaluateAll((flags) => flags.map((each) => each.getAttribute('aria-label')));
    await expect
      .poll(() => page.locator('[data-testid="alert-flag"][tabindex="0"]').count())
      .toBe(1);
    await page.getByTestId('timeline-canvas').locator('xpath=ancestor::*[@tabindex][1]').focus();
    await page.keyboard.press('Tab');
    expect(titles).toContain(await focused());
    for (let count = 0; count < titles.length; count += 1) await page.keyboard.press('ArrowLeft');
    for (const title of titles) {
      expect(await focused()).toBe(title);
      await page.keyboard.press('ArrowRight');
    }
    await pictures(page, 'alert-flags');
    await page.getByTestId('tab-events').click();
    await flag.first().focus();
    await page.keyboard.press('Enter');
    await page.getByTestId('inbox-detail').getByRole('button', { name: 'Acknowledge' }).click();
    await eventually('one flag', async () => (await flag.count()) === 1);
    await page.getByTestId('tab-detectors').click();
    const mute = page.getByRole('button', { name: 'Mute Many requests' });
    await mute.click();
    await eventually('no flag', async () => (await flag.count()) === 0);
    await page.getByRole('button', { name: 'Unmute Many requests' }).click();
    await eventually('the flag again', async () => (await flag.count()) === 1);
    await page.getByTestId('alert-events').first().click();
    await totalBecomes(page, 3 * BURST);

    // Another window sees it; undo takes it back.
    const other = await newPage();
    await other.getByTestId('tab-detectors').click();
    await other.locator('[data-testid="detector"][data-name="busy"]').click();
    await fires(other, 2);
    await other.getByTestId('remove-detector').click();
    await other
      .locator('[data-testid="detector"][data-name="busy"]')
      .waitFor({ state: 'detached' });
    await other.getByTestId('undo').click();
    await other.locator('[data-testid="detector"][data-name="busy"]').waitFor();
  });

  test('is a form and a text, and each changes the other', async () => {
    const page = await newPage();
    const errors: Error[] = [];
    page.on('pageerror', (error) => errors.push(error));
    await page.getByTestId('tab-detectors').click();
    await page.getByTestId('new-detector').click();
    await page.getByTestId('sentence').waitFor();
    const form = (name: string) => page.getByTestId(`form-${name}`);
    const text = () => page.getByTestId('definition-text').innerText();
    await definition(page, `# Ours.\n${BUSY}`);
    await expect.poll(() => form('above').inputValue()).toBe('30');
    await expect.poll(() => form('severity').inputValue()).toBe('high');

    // The form writes keys, and leaves comments where they are.
    await form('above').fill('70');
    await page.keyboard.press('Enter');
    await fires(page, 0);
    await form('by').fill('app, status');
    await page.keyboard.press('Tab');
    await expect.poll(text).toContain('by = ["app", "status"]');
    await form('by').fill('');
    await page.keyboard.press('Tab');
    await expect.poll(text).not.toContain('by =');
    await form('above').fill('30');
    await page.keyboard.press('Enter');
    await fires(page, 2);
    await expect.poll(text).toMatch(/^# Ours\.[^]*# as in March/);

    // A mistake is at its field and below its line, and the form of a text that is no TOML rests.
    await form('every').fill('1x');
    await page.keyboard.press('Enter');
    await page.getByTestId('form-problem').filter({ hasText: '`1x` is not a duration' }).waitFor();
    await expect.poll(() => form('every').getAttribute('aria-invalid')).toBe('true');
    await page.locator('.line-problem').filter({ hasText: '`1x` is not a duration' }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await pictures(page, 'detector-form');
    await definition(page, '[[detector');
    await expect.poll(() => form('every').isDisabled()).toBe(true);
    await definition(page, BUSY);
    await expect.poll(() => form('every').inputValue()).toBe('1m');

    // Each kind has its own fields; what both have stays.
    for (const [kind, field, key] of [
      ['anomaly', 'sensitivity', 'anomaly = { every = "1m" } # as in March'],
      ['absence', 'longer', 'absence = { longer = "10m" } # as in March'],
      ['newPattern', 'learn', 'pattern = { new = true } # as in March'],
      ['surge', 'surge', 'pattern = { surge = 10 } # as in March'],
      ['sequence', 'then', 'sequence = { then = "level:error", within = "5m" } # as in March'],
      ['threshold', 'above', 'threshold = { above = 10 } # as in March'],
    ] as const) {
      await page.getByTestId('detector-kind').selectOption(kind);
      await form(field).waitFor();
      await expect.poll(text).toContain(key);
      expect(await seriousFindings(page)).toEqual([]);
    }
    // One of two keys is chosen, and its value stays.
    await page.getByTestId('form-key-above').selectOption({ label: 'Fires below' });
    await expect.poll(text).toContain('threshold = { below = 10 } # as in March');

    // The text completes keys and values.
    await page.getByTestId('definition-text').click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.insertText('[[detector]]\nname = "busy"\n');
    await page.keyboard.type('thr');
    await suggestions(page).getByText('threshold').first().click();
    await expect.poll(text).toContain('threshold = ');
    expect(errors, 'no effect of the tab runs again and again').toEqual([]);
  });

  test('is not lost when another one is tried, and a discarded one comes back', async () => {
    const page = await newPage();
    await page.getByTestId('tab-detectors').click();
    await page.getByTestId('new-detector').click();
    await page.getByTestId('sentence').waitFor();
    await definition(page, BUSY);
    await page.locator('[data-testid="back-test"][aria-busy="false"]').waitFor();
    const unsaved = page.getByTestId('unsaved-detector');
    await page.getByTestId('new-detector').click();
    await eventually('two that are not saved', async () => (await unsaved.count()) === 2);
    await page.locator('[data-testid="detector"][data-name="starter.disk-full"]').click();
    await textBecomes(page.getByTestId('sentence'), 'Quiet: 120 bins judged');
    await unsaved.first().click();
    await expect
      .poll(() => page.getByTestId('definition-text').innerText())
      .toContain('# as in March');
    await fires(page, 2);
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByTestId('discard-detector').click();
    await eventually('one that is not saved', async () => (await unsaved.count()) === 1);
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('data-testid')))
      .toBe('new-detector');
    await page.getByTestId('undo').click();
    await eventually('both again', async () => (await unsaved.count()) === 2);
    await expect
      .poll(() => page.getByTestId('definition-text').innerText())
      .toContain('# as in March');
  });

  test('cannot say what the case has nothing for', async () => {
    const page = await newPage();
    await page.getByTestId('tab-detectors').click();
    const mark = (name: string, text: RegExp) =>
      page
        .locator(`[data-testid="detector"][data-name="starter.${name}"]`)
        .getByTestId('fired')
        .filter({ hasText: text })
        .waitFor();
    await mark('disk-full', /^–$/);
    await mark('silent-host', /^n\/a$/);
    await page.getByTestId('new-detector').click();
    await page.getByTestId('sentence').waitFor();
    await definition(page, BUSY.replace('threshold = { above = 30, every = "1m" }', LEARNS));
    await textBecomes(
      page.getByTestId('sentence'),
      'Cannot say: it learns for 1d, and has 1h59m of data for that',
    );
  });

  test('fires in the brushed range, and has precision and recall next to a tag', async () => {
    const page = await newPage();
    await page.getByTestId('tab-charts').click();
    await page.getByTestId('detect-chart').click();
    await page.getByTestId('sentence').waitFor();
    await page.getByTestId('tab-charts').click();
    await page.getByTestId('add-to-board').click();
    await page.getByTestId('add-to-board-new').click();
    await page.getByTestId('board').first().click();
    await page.getByTestId('card-detect').click();
    await page.getByTestId('sentence').waitFor();
    await expect
      .poll(() => page.getByTestId('definition-text').innerText())
      .toContain('measure = "count"');
    await brush(page, 0.52, 0.58);
    await page.getByTestId('detect-range').click();
    await fires(page, 2);
    await expect.poll(() => page.getByTestId('truth').isDisabled()).toBe(true);
    await page.getByTestId('range-notes').click();
    await page.getByRole('menuitem', { name: 'Tag this range…' }).click();
    await page.getByTestId('note-prompt').getByRole('combobox').fill('bad');
    await page.keyboard.press('Enter');
    await page.getByTestId('truth').selectOption({ label: 'bad' });
    await page
      .getByTestId('precision')
      .getByText(/^Precision: \d+% of the time, 1 of 2 alerts$/)
      .waitFor();
    await page
      .getByTestId('recall')
      .getByText(/^Recall: \d+% of the time, 1 of 1 incident$/)
      .waitFor();
    await page.getByTestId('delay').waitFor();
  });

  test('may be a rule of Sigma, which says what is not applicable', async () => {
    const page = await newPage();
    const folder = join(temporaryFolder(), 'rules');
    mkdirSync(folder);
    const rule = (name: string, source: string, field = 'status') =>
      writeFileSync(
        join(folder, `${name}.yml`),
        `title: ${name}\nid: ${name}\nlevel: high\nlogsource: {${source}}\ndetection: {it: {${field}: 500}, condition: it}\n`,
      );
    rule('windows', 'product: windows, service: security');
    rule('blind', 'product: jvm, category: application', 'nowhere');
    writeFileSync(join(folder, 'busy.toml'), BUSY);
    writeFileSync(join(folder, 'broken.yml'), 'title: [\n');
    await page.getByTestId('tab-detectors').click();
    const choosing = page.waitForEvent('filechooser');
    await page.getByTestId('run-rules').click();
    await (await choosing).setFiles(folder);
    await page.getByTestId('fired-rule').filter({ hasText: 'Many requests' }).waitFor();
    await textBecomes(page.getByTestId('rules-sum'), '2 cannot match in this case');
    await textBecomes(page.getByTestId('rules-sum'), '1 could not be read');
    await page.getByTestId('blind-source').locator('summary').click();
    await page.getByText('product windows, service security').waitFor();
    await page.getByTestId('blind-fields').locator('summary').click();
    await page.getByText('nowhere', { exact: true }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await pictures(page, 'detectors-rules');
  });

  test('of Sigma show who did what and what matched, and leave a value out with one click', async () => {
    const page = await newPage();
    const folder = join(temporaryFolder(), 'rules');
    mkdirSync(folder);
    writeFileSync(
      join(folder, 'failing.yml'),
      'title: Failing requests\nid: failing\nlevel: high\ndescription: Finds failing requests.\n' +
        'author: Ann\nfalsepositives: [Deployments]\ntags: [attack.impact, attack.t1499]\n' +
        'logsource: {product: jvm, category: application}\n' +
        'detection: {it: {status: 500}, condition: it}\n',
    );
    await page.getByTestId('tab-detectors').click();
    const choosing = page.waitForEvent('filechooser');
    await page.getByTestId('run-rules').click();
    await (await choosing).setFiles(folder);
    const rule = page.getByTestId('fired-rule').filter({ hasText: 'Failing requests' });
    await rule.getByTestId('rule-head').click();
    await rule.getByText('Finds failing requests.').waitFor();
    await rule.getByText('Deployments').waitFor();
    const match = rule.getByTestId('matched-fields').first();
    await match.locator('mark').getByText('500').waitFor();
    await page.getByTestId('coverage').locator('summary').click();
    await page.getByTestId('fired-technique').getByText('T1499').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await pictures(page, 'detectors-sigma');
    await match.getByTestId('exclude-value').click();
    await page.getByTestId('rule-filter').getByText('status = 500').waitFor();
    await page.getByText('No rule fired.').waitFor();
    await page.getByTestId('rule-filter').getByRole('button', { name: 'Remove' }).click();
    await page.getByTestId('fired-rule').filter({ hasText: 'Failing requests' }).waitFor();
  });
});
