/** The main screens at two sizes, in light and dark: nothing is cut off at the side, and axe has no serious finding. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { seriousFindings } from './support/accessible';
import { access, accessLog, sample } from './support/logs';
import { temporaryFolder } from './support/machine';
import { opening } from './support/opening';
import { brush, totalBecomes } from './support/page';
import { drawn, mainPictures, MOST_DIFFERING, picture } from './support/picture';
import { differingCells, thumbnail } from './support/thumbnail';

const open = opening();

/** What ends right of the window, and cannot be scrolled to. */
function cutOff(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const scrolls = (element: Element): boolean =>
      element !== document.documentElement &&
      (getComputedStyle(element).overflowX !== 'visible' || scrolls(element.parentElement!));
    return [...document.querySelectorAll('body *')]
      .filter((element) => element.checkVisibility() && element.closest('svg') === null)
      .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
      .filter((element) => !scrolls(element.parentElement!))
      .map((element) => `${element.tagName} ${element.className}`);
  });
}

function look(page: Page, name: string): Promise<void> {
  return mainPictures(page, `screen-${name}`, async () => {
    expect(await cutOff(page), name).toEqual([]);
    expect(await seriousFindings(page), name).toEqual([]);
  });
}

async function tab(page: Page, name: string): Promise<void> {
  await page.getByTestId(`tab-${name}`).click();
  await look(page, name);
}

async function openSample(): Promise<Page> {
  const page = await open();
  await page.getByTestId('load-sample').click();
  await totalBecomes(page, sample.events);
  const panel = page.getByTestId('import-panel');
  await panel.and(page.locator('[data-active="false"]')).waitFor();
  // It folds by itself a few seconds later, and pictures are compared.
  await panel.getByText('Dismiss').click();
  await panel.waitFor({ state: 'detached' });
  return page;
}

test('the screens of events over time fit', async () => {
  const page = await openSample();
  await look(page, 'events');
  await page.getByTestId('row').nth(3).dblclick();
  await page.getByTestId('detail').waitFor();
  await look(page, 'detail');
  await page.keyboard.press('Escape');
  await brush(page, 0.5, 0.6);
  await page.getByTestId('difference-row').first().waitFor();
  await look(page, 'timeline');
  await page.getByTestId('range-clear').click();
  await totalBecomes(page, sample.events);
  await page.getByTestId('tab-charts').click();
  await page.getByTestId('chart-split').click();
  await page.getByTestId('chart-split-source').click();
  await look(page, 'charts');
});

test('the screens of patterns, services and comparisons fit', async () => {
  const page = await openSample();
  await tab(page, 'patterns');
  await page.getByTestId('patterns-as-seismograph').click();
  await look(page, 'seismograph');
  await tab(page, 'map');
  await page.getByTestId('tab-compare').click();
  await page.getByTestId('start-halves').click();
  await page.locator('[data-testid="compare-state"][data-fraction="1"]').waitFor();
  await look(page, 'compare');
  await page.getByTestId('tab-detectors').click();
  await page.getByTestId('new-detector').click();
  await page.getByTestId('sentence').waitFor();
  await look(page, 'detectors');
  await page.getByTestId('tab-notes').click();
  await look(page, 'notes');
  await page.getByTestId('open-sources').click();
  await look(page, 'sources');
});

test('the start page and its sheets fit', async () => {
  const page = await open();
  await look(page, 'start');
  await page.getByTestId('open-remotes').click();
  await look(page, 'remotes');
  await page.keyboard.press('Escape');
  await page.getByTestId('receive-live').click();
  await look(page, 'live-sheet');
  await page.keyboard.press('Escape');
  const dialog = page.waitForEvent('filechooser');
  await page.getByTestId('look-first').click();
  await (await dialog).setFiles([accessLog()]);
  await page.getByTestId('estimate').waitFor();
  await page.getByTestId('file-choice').filter({ hasText: access.name }).click();
  await look(page, 'import');
});

test('a broken layout is noticed', async () => {
  const page = await open();
  const look = async () => thumbnail(page, await picture(page, 'screen-start-broken'));
  const before = await look();
  expect(differingCells(before, await look()).share).toBe(0);
  await page.addStyleTag({ content: 'main { transform: translateX(160px); }' });
  await drawn(page);
  expect(differingCells(before, await look()).share).toBeGreaterThan(MOST_DIFFERING);
});

test('the screen of a live source fits', async () => {
  const page = await open();
  const path = join(temporaryFolder(), 'grows.log');
  const line = (at: number) =>
    `2026-03-01T14:05:${String(at).padStart(2, '0')}Z INFO request ${at}\n`;
  writeFileSync(path, Array.from({ length: 30 }, (_, at) => line(at)).join(''));
  await page.getByTestId('receive-live').click();
  await page.getByTestId('live-follow').check();
  await page.getByTestId('live-paths').fill(path);
  await page.getByTestId('live-start').click();
  await totalBecomes(page, 30);
  appendFileSync(path, line(30));
  await totalBecomes(page, 31);
  await look(page, 'live');
});
