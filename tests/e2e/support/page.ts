/** Reads and drives the workbench in a browser page. */
import { readFileSync } from 'node:fs';

import type { Browser, Page } from 'playwright-core';
import { chromium } from 'playwright-core';

import { chromium as chromiumPath } from '../../../scripts/packages.mjs';
import { eventually } from './machine';

export function openBrowser(): Promise<Browser> {
  const executablePath = chromiumPath();
  if (!executablePath) throw new Error('Chromium was not found; set CHROMIUM to its path');
  const quiet = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'];
  return chromium.launch({
    executablePath,
    args: [...quiet, '--disable-background-networking', '--disable-component-update'],
  });
}

/** The number of matching events, or null while it is not shown. */
export async function total(page: Page): Promise<number | null> {
  const element = page.getByTestId('total');
  if ((await element.count()) === 0) return null;
  const digits = await element.getAttribute('data-value');
  return digits === null ? null : Number(digits);
}

export async function totalBecomes(page: Page, wanted: number, limitMs = 30_000): Promise<void> {
  let seen: number | null = null;
  const arrived = async () => (seen = await total(page)) === wanted;
  await eventually(`${wanted} events`, arrived, limitMs).catch((error: Error) => {
    throw new Error(`${error.message}; the page shows ${seen}`);
  });
}

export async function buckets(page: Page): Promise<number> {
  return Number(await page.getByTestId('timeline').getAttribute('data-buckets'));
}

/** Types a query and runs it. */
export async function query(page: Page, text: string): Promise<void> {
  await page.getByTestId('query').click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.press('Delete');
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
}

/** Drags over a part of the timeline, given in shares of its width. */
export async function brush(page: Page, from: number, to: number): Promise<void> {
  const box = await page.getByTestId('timeline-canvas').boundingBox();
  if (!box) throw new Error('the timeline is not on the page');
  const middle = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * from, middle);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * ((from + to) / 2), middle, { steps: 5 });
  await page.mouse.move(box.x + box.width * to, middle, { steps: 5 });
  await page.mouse.up();
}

/** Problems of the visible rows: a gap, a wrong order, or a row without text. */
export function rowProblems(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const list = document.querySelector('[data-testid="events"]');
    if (!list) return ['there is no list'];
    const view = list.getBoundingClientRect();
    const rows = [...list.querySelectorAll<HTMLElement>('[data-testid="row"]')]
      .map((element) => ({
        index: Number(element.dataset['index']),
        box: element.getBoundingClientRect(),
        text: element.innerText.trim(),
      }))
      .filter(({ box }) => box.bottom > view.top && box.top < view.bottom)
      .sort((a, b) => a.box.top - b.box.top);
    const problems = rows
      .filter(({ text }) => text === '')
      .map(({ index }) => `row ${index} is empty`);
    rows.slice(1).forEach((row, at) => {
      const before = rows[at];
      if (!before) return;
      if (row.index !== before.index + 1) problems.push(`row ${row.index} follows ${before.index}`);
      if (row.box.top - before.box.bottom > 1) problems.push(`a gap above row ${row.index}`);
    });
    if (rows.length < 5) problems.push(`only ${rows.length} rows are in view`);
    return problems;
  });
}

/** The index of the last row in the page. */
export function lastRow(page: Page): Promise<number> {
  const rows = page.locator('[data-testid="row"]');
  return rows.evaluateAll((all) =>
    Math.max(...all.map((row) => Number((row as HTMLElement).dataset['index']))),
  );
}

/** Exports the notebook, and reads the file. */
export async function exported(page: Page, format: 'html' | 'markdown'): Promise<string> {
  const coming = page.waitForEvent('download');
  await page.getByTestId(`export-${format}`).click();
  return readFileSync(await (await coming).path(), 'utf8');
}
