/** Reads and drives the workbench in a browser page. */
import { readFileSync } from 'node:fs';

import type { Browser, Locator, Page } from 'playwright-core';
import { chromium } from 'playwright-core';

import { chromium as chromiumPath } from '../../../scripts/packages.mjs';
import { eventually } from './machine';
import type { Box } from './screen';

/** The browsers of the test file that runs. */
export const browsers = new Set<Browser>();

export async function openBrowser(): Promise<Browser> {
  const executablePath = chromiumPath();
  if (!executablePath) throw new Error('Chromium was not found; set CHROMIUM to its path');
  const quiet = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'];
  const browser = await chromium.launch({
    executablePath,
    args: [...quiet, '--disable-background-networking', '--disable-component-update'],
  });
  browsers.add(browser);
  browser.on('disconnected', () => browsers.delete(browser));
  return browser;
}

/** The number of matching events, or null while it is not shown. */
export async function total(page: Page): Promise<number | null> {
  const element = page.getByTestId('total');
  if ((await element.count()) === 0) return null;
  const digits = await element.getAttribute('data-value');
  return digits === null ? null : Number(digits);
}

/** Waits for something that comes with an answer; until then the page shows what was there before. */
async function becomes<T>(
  what: string,
  read: () => Promise<T>,
  isWanted: (seen: T) => boolean,
  limitMs?: number,
): Promise<void> {
  let seen: T | null = null;
  const arrived = async () => isWanted((seen = await read()));
  await eventually(what, arrived, limitMs).catch((error: Error) => {
    throw new Error(`${error.message}; the page shows ${String(seen)}`);
  });
}

export function totalBecomes(page: Page, wanted: number, limitMs?: number): Promise<void> {
  const read = () => total(page);
  return becomes(`${wanted} events`, read, (seen) => seen === wanted, limitMs);
}

/** Waits until the list has so many events: its rows come by themselves, before or after the number above the timeline. */
export async function listBecomes(page: Page, wanted: number): Promise<void> {
  await totalBecomes(page, wanted);
  await attributeBecomes(page.getByTestId('events'), 'data-total', String(wanted));
}

/** Waits for fewer events than before, all of them counted, and says how many they are. */
export function fewerThan(page: Page, before: number): Promise<number> {
  return eventually(`fewer than ${before} events`, async () => {
    const shown = await page.getByTestId('timeline').evaluate(({ dataset }) => ({ ...dataset }));
    const now = Number(shown['total']);
    return Number(shown['fraction']) === 1 && now < before ? now : null;
  });
}

/** Waits for a text: a part of it, or a pattern. All white space counts as one space. */
export function textBecomes(shown: Locator, wanted: string | RegExp): Promise<void> {
  const read = async () => (await shown.innerText()).replace(/\s+/g, ' ').trim();
  const isWanted = (seen: string) =>
    typeof wanted === 'string' ? seen.includes(wanted) : wanted.test(seen);
  return becomes(`the text ${String(wanted)}`, read, isWanted);
}

export function attributeBecomes(shown: Locator, name: string, wanted: string): Promise<void> {
  const read = () => shown.getAttribute(name);
  return becomes(`${name} to be ${wanted}`, read, (seen) => seen === wanted);
}

/** Suggestions for the text as it is now; those for the text before are switched off, and Tab would leave the bar. */
export function suggestions(page: Page): Locator {
  return page.locator('.cm-tooltip-autocomplete:not(.cm-tooltip-autocomplete-disabled)');
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

/** Types into the palette. One that is still being closed would take the keys. */
export async function inPalette(page: Page, text: string): Promise<void> {
  const palette = page.getByTestId('palette');
  await palette.waitFor({ state: 'detached' });
  await page.keyboard.press('ControlOrMeta+k');
  await palette.getByRole('combobox').fill(text);
}

/** Where something is when it does not move any more: what arrives above it pushes it down. */
export function restingBox(shown: Locator): Promise<Box> {
  let before = '';
  return eventually('a place at rest', async () => {
    const box = await shown.boundingBox();
    const isAtRest = JSON.stringify(box) === before;
    before = JSON.stringify(box);
    return isAtRest ? box : null;
  });
}

/** Drags over a part of the timeline, given in shares of its width. */
export async function brush(page: Page, from: number, to: number): Promise<void> {
  const box = await restingBox(page.getByTestId('timeline-canvas'));
  const middle = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * from, middle);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * ((from + to) / 2), middle, { steps: 5 });
  await page.mouse.move(box.x + box.width * to, middle, { steps: 5 });
  await page.mouse.up();
}

/** Waits until each visible row has its event. A gap or a wrong order is a mistake at any time. */
export async function rowsAreWhole(page: Page): Promise<void> {
  let problems: string[] = [];
  const read = async () => (problems = await rowProblems(page));
  const isComing = (problem: string) => /^row \d+ is empty$|^only /.test(problem);
  await becomes('events in the rows', read, (seen) => !seen.some(isComing));
  if (problems.length > 0) throw new Error(problems.join(', '));
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

/** The rows of the list that are wholly in view. */
export function wholeRows(page: Page): Promise<number> {
  return page.evaluate(() => {
    const list = document.querySelector('[data-testid="events"]')!.getBoundingClientRect();
    return [...document.querySelectorAll('[data-testid="row"]')].filter((each) => {
      const box = each.getBoundingClientRect();
      return box.top >= list.top - 1 && box.bottom <= list.bottom + 1;
    }).length;
  });
}

/** Exports the notebook, and reads the file. */
export async function exported(page: Page, format: 'html' | 'markdown'): Promise<string> {
  // The engine exports the pages that it has.
  await page
    .getByTestId('page-state')
    .filter({ hasText: /^saved$/ })
    .waitFor();
  const coming = page.waitForEvent('download');
  await page.getByTestId(`export-${format}`).click();
  return readFileSync(await (await coming).path(), 'utf8');
}

/** Opens a field of the list, when its facts are those of the view. */
export async function openField(page: Page, name: string): Promise<void> {
  await page.getByTestId('field-search').fill(name);
  const field = page.locator(`[data-testid="known-field"][data-name="${name}"]`);
  await field.locator('.opener').click();
  await field.locator('[data-testid="field-facts"][data-fresh="true"]').waitFor();
}

/** Moves the pointer onto a text within an element, and waits for the tools of the value there. */
export async function pointAt(page: Page, shown: Locator, text: string): Promise<void> {
  const point = await shown.evaluate((element, wanted) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    while (walker.nextNode() !== null) {
      const node = walker.currentNode as Text;
      const at = node.data.indexOf(wanted);
      if (at < 0) continue;
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + wanted.length);
      const { left, top, height } = range.getBoundingClientRect();
      return { x: left + 3, y: top + height / 2 };
    }
    throw new Error(`There is no ${wanted} here`);
  }, text);
  await page.mouse.move(point.x, point.y);
  await page.getByTestId('value-tools').waitFor();
}
