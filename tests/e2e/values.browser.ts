/** Menus and popups, and the menu that every value has, in a browser. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { seriousFindings } from './support/accessible';
import { eventually, temporaryFolder } from './support/machine';
import { opening } from './support/opening';
import { listBecomes, pointAt, restingBox, totalBecomes } from './support/page';

const open = opening();

const EVENTS = 60;
/** Quotation marks, markup, a control character, a bidi override and a line end. */
const HOSTILE = 'say "hi" \\ <img src=x>\u0007\u202e\nnext';

/** A log whose status is 500, 502 and 200 in turn; one event has a hostile value, and one a long one. */
function shopLog(): string {
  const line = (at: number) => {
    const time = `2024-03-05T14:00:${String(at % 60).padStart(2, '0')}Z`;
    const more = at === 0 ? { note: HOSTILE } : at === 1 ? { body: 'ab '.repeat(33_000) } : {};
    const values = {
      status: [500, 502, 200][at % 3],
      trace: `trace-${at % 20}`,
      message: 'took it',
    };
    return JSON.stringify({ time, level: at % 2 ? 'error' : 'info', ...values, ...more });
  };
  const path = join(temporaryFolder(), 'shop.jsonl');
  writeFileSync(path, Array.from({ length: EVENTS }, (_, at) => line(at)).join('\n'));
  return path;
}

async function openShop(): Promise<Page> {
  const page = await open([shopLog()]);
  await listBecomes(page, EVENTS);
  await page.locator('[data-testid="import-panel"][data-active="false"]').waitFor();
  return page;
}

const focused = (page: Page) =>
  page.evaluate(() => (document.activeElement as HTMLElement).dataset['testid'] ?? '');

/** Whether an element is within the window, and nothing covers or clips its corners. */
function isWhole(shown: Locator): Promise<boolean> {
  return shown.evaluate((element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const corners = [
      [left + 8, top + 8],
      [right - 8, bottom - 8],
    ] as const;
    return corners.every(([x, y]) => element.contains(document.elementFromPoint(x, y)));
  });
}

test('every menu and popup is whole, and returns the focus to its button', async () => {
  const page = await openShop();
  await page.setViewportSize({ width: 900, height: 560 });
  const openedNow = page.locator(':popover-open');
  for (const id of [
    'case-menu',
    'connect',
    'recent',
    'timeline-split',
    'range',
    'appearance',
    'jump',
  ]) {
    const button = page.getByTestId(id);
    await button.click();
    await openedNow.waitFor();
    expect([id, await isWhole(openedNow)]).toEqual([id, true]);
    expect(await seriousFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await openedNow.waitFor({ state: 'detached' });
    expect(await focused(page)).toBe(id);
    // The button closes what it opened, and so does a press elsewhere.
    await button.click();
    await openedNow.waitFor();
    await button.click();
    await openedNow.waitFor({ state: 'detached' });
    await button.click();
    await openedNow.waitFor();
    await page.mouse.click(4, 4);
    await openedNow.waitFor({ state: 'detached' });
  }
});

const tools = (page: Page) => page.getByTestId('value-tools');
const row = (page: Page, index: number) =>
  page.locator(`[data-testid="row"][data-index="${index}"]`);
const queryIs = (page: Page, wanted: string) =>
  eventually(`the query ${wanted}`, async () => {
    return (await page.getByTestId('query').innerText()) === wanted;
  });

test('a value in the text of an event is a filter after one click, and another is added to it', async () => {
  const page = await openShop();
  await pointAt(page, row(page, 0), '500');
  await expect.poll(() => tools(page).getAttribute('aria-label')).toBe('Actions for status 500');
  expect(await seriousFindings(page)).toEqual([]);
  await tools(page).locator('[data-action="only"]').click();
  await queryIs(page, 'status=500');
  await listBecomes(page, EVENTS / 3);

  await page.getByTestId('undo').click();
  await listBecomes(page, EVENTS);
  await pointAt(page, row(page, 1), '502');
  await tools(page).locator('[data-action="without"]').click();
  await queryIs(page, 'NOT status=502');
  await listBecomes(page, EVENTS - EVENTS / 3);
});

test('the menu of a value opens by right-click and by keys, and the focus returns to the list', async () => {
  const page = await openShop();
  const menu = page.getByRole('menu');
  await row(page, 0).locator('[data-field="source"]').click({ button: 'right' });
  await menu.waitFor();
  await expect.poll(() => menu.getAttribute('aria-label')).toBe('Actions for source shop.jsonl');
  expect(await seriousFindings(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await menu.waitFor({ state: 'detached' });

  await page.getByTestId('events').focus();
  await page.keyboard.press('j');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Shift+F10');
  await menu.waitFor();
  await expect.poll(() => menu.getAttribute('aria-label')).toBe('Actions for level info');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await queryIs(page, 'NOT level=info');
  expect(await focused(page)).toBe('events');
});

test('hostile and long values are filtered for exactly as they are', async () => {
  const page = await openShop();
  for (const [index, name] of [
    [0, 'note'],
    [1, 'body'],
  ] as const) {
    await row(page, index).click();
    const value = page.locator(`[data-testid="field"][data-name="${name}"] .value`);
    await value.click({ button: 'right', position: { x: 4, y: 8 } });
    await page.getByTestId('value-only').click();
    await listBecomes(page, 1);
    await expect.poll(() => page.locator('[data-testid="query-error"]').count()).toBe(0);
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByTestId('undo').click();
    await totalBecomes(page, EVENTS);
  }
});

test('values of a chart have the menu: in its tooltip, its legend and its table', async () => {
  const page = await openShop();
  const menu = page.getByRole('menu');
  const opens = async (name: string) => {
    await expect.poll(() => menu.getAttribute('aria-label')).toBe(`Actions for ${name}`);
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
  };
  await page.getByTestId('tab-charts').click();
  await page.getByTestId('chart-split').click();
  await page.getByTestId('chart-split-level').click();
  const entry = page.getByTestId('legend').getByRole('button', { name: /error/ });
  await entry.waitFor();

  const plot = page.getByTestId('chart').getByRole('slider');
  await plot.focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => plot.getAttribute('aria-valuetext')).toMatch(/: (error|info) \d+$/);
  await page.keyboard.press('ArrowUp');
  const first = /: (\w+) \d+$/.exec((await plot.getAttribute('aria-valuetext')) ?? '')?.[1];
  await page.keyboard.press('Shift+F10');
  await opens(`level ${first}`);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Shift+F10');
  await opens(`level ${first === 'error' ? 'info' : 'error'}`);

  const box = await restingBox(page.getByTestId('chart-canvas'));
  await page.mouse.click(box.x + 60, box.y + box.height - 30, { button: 'right' });
  await menu.waitFor();
  await page.keyboard.press('Escape');

  await entry.focus();
  await page.keyboard.press('Shift+F10');
  await opens('level error');

  await page.getByTestId('show-numbers').click();
  const head = page.getByTestId('numbers').locator('th', { hasText: 'error' });
  await head.focus();
  await page.keyboard.press('Enter');
  await opens('level error');
  await head.hover();
  await expect.poll(() => tools(page).getAttribute('aria-label')).toBe('Actions for level error');
  expect(await seriousFindings(page)).toEqual([]);
  await tools(page).locator('[data-action="only"]').click();
  await listBecomes(page, EVENTS / 2);
});

test('values of the timeline have the menu: in its tooltip and its legend', async () => {
  const page = await openShop();
  const menu = page.getByRole('menu');
  const opens = async (name: string) => {
    await expect.poll(() => menu.getAttribute('aria-label')).toBe(`Actions for ${name}`);
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
  };
  const timeline = page.getByTestId('timeline');
  const legend = timeline.getByRole('listitem');
  await legend.filter({ hasText: 'Error' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await opens('level info');

  const plot = timeline.getByRole('slider');
  await plot.focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => plot.getAttribute('aria-valuetext')).toMatch(/, (Error|Info) \d+$/);
  const level = /, (\w+) \d+$/.exec((await plot.getAttribute('aria-valuetext')) ?? '')?.[1];
  await page.keyboard.press('Shift+F10');
  await opens(`level ${level?.toLowerCase()}`);

  await page.getByTestId('timeline-lanes').click();
  await page.locator('[data-testid="timeline"][data-laned="true"]').waitFor();
  const box = await restingBox(page.getByTestId('timeline-canvas'));
  await page.mouse.click(box.x + 58, box.y + box.height / 2, { button: 'right' });
  await opens('source shop.jsonl');
  expect(await seriousFindings(page)).toEqual([]);
});
