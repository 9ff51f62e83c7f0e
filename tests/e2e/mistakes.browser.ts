/** One state after a mistake, times as people paste them, habits of other tools, and a lost engine, in a browser. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

import { seriousFindings } from './support/accessible';
import { access, accessLog } from './support/logs';
import { eventually } from './support/machine';
import {
  attributeBecomes,
  brush,
  openBrowser,
  query,
  textBecomes,
  total,
  totalBecomes,
} from './support/page';
import { pictures } from './support/picture';
import { serve, type Server } from './support/server';

let browser: Browser;
let server: Server;
let page: Page;

beforeAll(async () => {
  browser = await openBrowser();
  server = await serve([accessLog()]);
});

afterAll(async () => {
  await browser.close();
  await server.stop();
});

async function open(address = server.address): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  page = await context.newPage();
  await page.goto(address);
  await totalBecomes(page, access.lines);
  await page.getByTestId('timeline-canvas').waitFor();
}

afterEach(() => page.context().close());

const BUSY = '#panel [aria-busy="true"]';

const chartTotal = (shown: number) =>
  attributeBecomes(page.getByTestId('chart'), 'data-total', String(shown));

test('an invalid query leaves every tab with the last valid one, and one banner offers the fix', async () => {
  await open();
  await query(page, 'checkout');
  await totalBecomes(page, access.checkouts);
  await query(page, 'checkout sttaus:200');
  const banner = page.getByTestId('query-error');
  await textBecomes(banner, 'Showing results of the previous query: checkout');
  await expect.poll(() => page.locator('main').getAttribute('data-former')).toBe('true');
  expect(await total(page)).toBe(access.checkouts);
  expect(await seriousFindings(page)).toEqual([]);
  await pictures(page, 'workbench-invalid');
  // A tab that is opened only now shows the last valid query as well.
  await page.getByTestId('tab-charts').click();
  await chartTotal(access.checkouts);
  await expect.poll(() => banner.count()).toBe(1);
  // So does a cell of the notebook.
  await page.getByTestId('tab-notes').click();
  await page.getByTestId('new-page').click();
  await page.getByRole('button', { name: '+ Query' }).click();
  const written = page.getByTestId('page-cell');
  await written.getByText('checkout').waitFor();
  await expect.poll(() => written.innerText()).not.toContain('sttaus');
  await page.getByTestId('query-fix').click();
  await banner.waitFor({ state: 'detached' });
  await expect.poll(() => page.getByTestId('query').innerText()).toBe('checkout status:200');
  await query(page, 'checkout (');
  await banner.waitFor();
  await page.getByTestId('query-revert').click();
  await banner.waitFor({ state: 'detached' });
});

const byId = (id: string) => page.getByTestId(id);

/** Opens a tab, and returns the text of what it shows of the query. */
type TabText = () => Promise<string>;

/** The tabs that show what the query matches, besides the list and the charts. */
const TABS: Readonly<Record<string, TabText>> = {
  patterns: async () => {
    await byId('tab-patterns').click();
    await byId('patterns-as-list').click();
    await byId('pattern').first().waitFor();
    return byId('patterns').innerText();
  },
  seismograph: async () => {
    await byId('tab-patterns').click();
    await byId('patterns-as-seismograph').click();
    const whole = '[data-testid="seismograph"][data-fraction="1"]:not([data-rows="0"])';
    await page.locator(whole).waitFor();
    const rows = await byId('seismograph').getAttribute('data-rows');
    return `${rows}: ${await byId('seismograph-sum').innerText()}`;
  },
  map: async () => {
    await byId('tab-map').click();
    for (const [menu, field] of [
      ['map-id', 'status'],
      ['map-node', 'client_ip'],
    ] as const) {
      await byId(menu).click();
      await byId(`${menu}-${field}`).click();
    }
    await byId('map-sum').filter({ hasText: 'step' }).waitFor();
    return byId('map-sum').innerText();
  },
  detectors: async () => {
    await byId('tab-detectors').click();
    await byId('new-detector').click();
    return byId('sentence').innerText();
  },
  compare: async () => {
    await byId('tab-compare').click();
    if (await byId('start-halves').count()) await byId('start-halves').click();
    await page.locator('[data-testid="compare-state"][data-fraction="1"]').waitFor();
    return byId('compare-tab').innerText();
  },
};

test('tabs that are opened after an invalid query show the last valid one, dimmed, with one banner', async () => {
  await open();
  await query(page, 'checkout');
  await totalBecomes(page, access.checkouts);
  const valid = new Map<string, string>();
  for (const [tab, read] of Object.entries(TABS)) {
    let before = '';
    // The text of an answer that is complete, which does not change any more.
    await eventually(`the ${tab} of a valid query`, async () => {
      const now = await read();
      const isSame = now === before && now !== '' && (await page.locator(BUSY).count()) === 0;
      before = now;
      return isSame;
    });
    valid.set(tab, before);
  }
  expect(valid.get('map')).toContain('1 id, 59 steps');
  await page.context().close();

  // None of them has been open in this window before the mistake.
  await open();
  await query(page, 'checkout');
  await totalBecomes(page, access.checkouts);
  await query(page, 'checkout sttaus:200');
  await byId('query-error').waitFor();
  for (const [tab, read] of Object.entries(TABS)) {
    await eventually(`the last valid ${tab}`, async () => (await read()) === valid.get(tab));
    const style = await page.locator('#panel').evaluate((panel) => getComputedStyle(panel).filter);
    expect(style, tab).toContain('opacity');
    await expect.poll(() => byId('query-error').count(), { message: tab }).toBe(1);
    expect(await page.locator('[role="alert"]:visible').allInnerTexts(), tab).toHaveLength(1);
    expect(await seriousFindings(page)).toEqual([]);
  }
});

test('what differs in a range is dimmed like the rest, and menus stay above it', async () => {
  await open();
  await brush(page, 0.2, 0.8);
  await byId('difference').waitFor();
  await query(page, 'checkout sttaus:200');
  await byId('query-error').waitFor();
  const filter = await byId('difference').evaluate((panel) => getComputedStyle(panel).filter);
  expect(filter).toContain('opacity');
  await byId('timeline-split').click();
  await page.getByRole('menuitem', { name: 'status' }).click();
  await page.locator('[data-testid="timeline"][data-split="status"]').waitFor();
});

test('a timechart opens as a chart with all series, from a board too, and boards keep it', async () => {
  await open();
  await page.getByTestId('tab-charts').click();
  await page.getByTestId('board-new').click();
  await page.getByTestId('board-view').waitFor();
  await query(page, '* | timechart count by status');
  const result = page.getByTestId('result');
  await result.waitFor();
  const series = result.getByTestId('legend').getByRole('button');
  await eventually('all series', async () => (await series.count()) > 1);
  await attributeBecomes(result, 'data-fraction', '1');
  const names = await series.allInnerTexts();
  await pictures(page, 'workbench-timechart');
  await result.getByTestId('add-to-board').click();
  await page.getByRole('menuitem').first().click();
  await page.getByTestId('confirmation').filter({ hasText: 'Added' }).waitFor();
  await page.getByTestId('board').first().click();
  const card = page.getByTestId('result-card').getByTestId('legend').getByRole('button');
  await eventually('the same series', async () => {
    return (await card.allInnerTexts()).join('\n\n') === names.join('\n\n');
  });
  await query(page, 'GET | timechart count by status');
  await result.waitFor();
});

test('chart and timeline have the same bins, of the width that was chosen', async () => {
  await open();
  await page.getByTestId('tab-charts').click();
  const bin = (part: string) => page.getByTestId(part).getAttribute('data-bin');
  const areEqual = async () => (await bin('chart')) === (await bin('timeline'));
  await eventually('the same bins', areEqual);
  const automatic = await bin('timeline');
  await page.getByTestId('bin-width').click();
  await page.getByRole('menuitem', { name: '5 min', exact: true }).click();
  await eventually('the width', async () => (await bin('timeline')) === '300000000000');
  await eventually('the same bins again', areEqual);
  expect(automatic).not.toBe('300000000000');
  // The width stays while the range changes, as long as it suits it.
  await brush(page, 0.2, 0.8);
  await eventually('a narrower range', async () => (await total(page)) !== access.lines);
  await eventually('the same bins after zooming', areEqual);
  expect(await bin('timeline')).toBe('300000000000');
});

test('the time picker takes what people paste, and an error is at its field', async () => {
  await open();
  const write = async (text: string) => {
    await page.getByTestId('range').click();
    await page.getByTestId('range-written').fill(text);
    await page.getByTestId('range-written').press('Enter');
  };
  const first = Date.UTC(2024, 2, 5, 14, 30);
  for (const text of [
    String(first / 1000),
    'time>14:30',
    'time < 14:30',
    'time:14:30',
    new Date(first).toISOString(),
    'last 2 minutes',
    `${new Date(first).toISOString()}/${new Date(first + 60_000).toISOString()}`,
  ]) {
    await write(text);
    await page.getByTestId('range-panel').waitFor({ state: 'detached' });
    await eventually(`events of ${text}`, async () => {
      const shown = await total(page);
      return shown !== null && shown > 0 && shown < access.lines;
    });
    await page.getByTestId('range-clear').click();
    await totalBecomes(page, access.lines);
  }
  await write('soon');
  await textBecomes(page.getByTestId('range-mistake'), 'Not a valid time: `soon`');
  await attributeBecomes(page.getByTestId('range-written'), 'aria-invalid', 'true');
  await page.getByTestId('range-from').fill('14:05');
  await page.getByTestId('range-to').fill('soon');
  await page.getByTestId('range-to').press('Enter');
  await attributeBecomes(page.getByTestId('range-to'), 'aria-invalid', 'true');
  await expect
    .poll(() => page.getByTestId('range-written').getAttribute('aria-invalid'))
    .toBeNull();
  expect(await seriousFindings(page)).toEqual([]);
  await pictures(page, 'workbench-range-error');
});

test('habits of other tools get their answer, or help with one key', async () => {
  await open();
  await query(page, 'source=access.log');
  await totalBecomes(page, access.lines);
  await query(page, 'search checkout');
  await page.getByTestId('query-advice').waitFor();
  await page.getByTestId('query').click();
  await page.keyboard.press('Alt+Enter');
  await totalBecomes(page, access.checkouts);
  await query(page, 'stats count by status');
  await page.getByTestId('query-advice').waitFor();
  await pictures(page, 'workbench-advice');
  await page.getByTestId('query-fix').click();
  await page.getByTestId('result-row').first().waitFor();
  await query(page, 'index=main checkout');
  await totalBecomes(page, access.checkouts);
});

test('a lost engine is one clear screen, which reconnects', async () => {
  await open();
  await page.route('**/api/**', (route) => route.abort());
  // The page may notice by itself before a mouse could reach the tab.
  await page.getByTestId('tab-patterns').dispatchEvent('click');
  await page.getByTestId('lost').waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await pictures(page, 'workbench-lost');
  await page.getByTestId('reconnect').click();
  await page.getByTestId('lost').waitFor();
  await page.unroute('**/api/**');
  await page.getByTestId('reconnect').click();
  await page.getByTestId('lost').waitFor({ state: 'detached' });
  await totalBecomes(page, access.lines);
});
