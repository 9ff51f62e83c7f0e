/** Menus and popups, and the menu that every value has, in a browser. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { seriousFindings } from './support/accessible';
import { temporaryFolder } from './support/machine';
import { opening } from './support/opening';
import { listBecomes } from './support/page';

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
  for (const id of ['case-menu', 'recent', 'timeline-split', 'range', 'appearance', 'jump']) {
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
