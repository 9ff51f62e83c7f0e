/** Two parts of a case are compared in the Compare tab, in a browser. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { seriousFindings } from './support/accessible';
import { eventually, temporaryFolder } from './support/machine';
import { opening } from './support/opening';
import {
  brush,
  exported,
  fewerThan,
  inPalette,
  query,
  textBecomes,
  totalBecomes,
} from './support/page';
import { pictures } from './support/picture';

/** Of both halves of the log; in the second one each tenth event is a refused payment. */
const HALF = 1_200;
const REFUSED = HALF / 10;

const opened = opening();

function shopLog(name = 'shop', events = 2 * HALF): string {
  const lines = Array.from({ length: events }, (_, index) => {
    const time = new Date(Date.UTC(2026, 2, 1, 14) + index * 1_000).toISOString();
    const isRefused = index >= HALF && index % 10 === 3;
    const region = ['eu', 'us', 'asia'][index % 3];
    const isSlow = index >= HALF && region === 'eu';
    const took = 20 + ((index * 7_919) % 40) + (isSlow ? 300 : 0);
    return JSON.stringify({
      ts: time,
      level: isRefused ? 'error' : 'info',
      message: isRefused ? `payment of order ${index} refused` : `order ${index} paid`,
      region,
      took_ms: took,
    });
  });
  const path = join(temporaryFolder(), `${name}.jsonl`);
  writeFileSync(path, lines.join('\n') + '\n');
  return path;
}

async function imported(page: Page, events: number): Promise<void> {
  await totalBecomes(page, events);
  await page.locator('[data-testid="import-panel"][data-active="false"]').waitFor();
}

async function open(): Promise<Page> {
  const page = await opened([shopLog()]);
  await imported(page, 2 * HALF);
  return page;
}

const rows = (page: Page) => page.getByTestId('compared');
const count = (page: Page, side: 'a' | 'b') =>
  page.getByTestId(`compare-count-${side}`).getAttribute('data-value');

/** A whole answer; of the sides that are shown if their events are counted. */
const answered = (page: Page) =>
  page.locator('[data-testid="compare-state"][data-fraction="1"]').waitFor();

async function counted(page: Page, a: number, b: number): Promise<void> {
  await eventually(`${a} and ${b} events on the sides`, async () => {
    return (await count(page, 'a')) === String(a) && (await count(page, 'b')) === String(b);
  });
  await answered(page);
}

test('halves are compared, swapped and edited, and each row leads to its events', async () => {
  const page = await open();
  await page.keyboard.press('Alt+4');
  await page.getByTestId('start-halves').click();
  await counted(page, HALF, HALF);

  const refused = (change: string) =>
    page.locator(`[data-testid="compared"][data-change="${change}"]`);
  const fresh = refused('new');
  await expect.poll(() => rows(page).count()).toBe(2);
  // Both halves have as many events, and are on the timeline.
  await expect
    .poll(() => page.getByTestId('compared-volume').innerText())
    .toContain('No clear difference in the number of events over time');
  for (const side of ['a', 'b']) await page.getByTestId(`side-band-${side}`).waitFor();
  const text = (await fresh.innerText()).replace(/\s+/g, ' ');
  expect(text).toMatch(/payment of order <num> refused Only in B: 120, 10% of its events\./);
  expect(text).toContain('The same events: new level=error');
  const moved = page.locator('[data-testid="compared"][data-change="moved"]');
  await expect
    .poll(() => moved.innerText())
    .toMatch(/took_ms where region=eu[^]*p50 [\d.]+ ms in A, 3\d\d ms in B/);

  // Each value that a row names has the menu of values.
  await moved.locator('[data-seen]', { hasText: 'region=eu' }).focus();
  await page.keyboard.press('Enter');
  const menu = page.getByRole('menu');
  await expect.poll(() => menu.getAttribute('aria-label')).toBe('Actions for region eu');
  await page.keyboard.press('Escape');
  await menu.waitFor({ state: 'detached' });
  await fresh.locator('[data-seen]', { hasText: 'level=error' }).hover();
  const tools = page.getByTestId('value-tools');
  await expect.poll(() => tools.getAttribute('aria-label')).toBe('Actions for level error');

  // Those of eu take 300 ms longer, all of them alike.
  const curve = moved.getByTestId('quantile-curve');
  await expect
    .poll(() => curve.getByRole('img').getAttribute('aria-label'))
    .toMatch(/quantile of took_ms where region=eu, B minus A\. 50% of the numbers .*: \+3\d\d ms/);
  await expect
    .poll(() => page.getByTestId('compare-first').innerText())
    .toContain('Main difference');

  await page.getByTestId('compared-score').first().focus();
  await page.getByRole('tooltip').first().waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByTestId('compare-unchanged').locator('summary').click();
  await expect
    .poll(() => page.getByTestId('compare-unchanged').innerText())
    .toMatch(/Unchanged\s+source each share within ±[\d.]+ points/);
  await pictures(page, 'compare');

  await fresh.getByTestId('compared-b').click();
  await totalBecomes(page, REFUSED);
  await page.getByTestId('undo').click();

  // Words distinguish the sides too.
  const words = page.getByTestId('compare-words');
  const refusal = words.getByTestId('word').filter({ hasText: 'refused' });
  await refusal.scrollIntoViewIfNeeded();
  await textBecomes(refusal, new RegExp(`^refused ${REFUSED} in B 0 in A$`));
  await expect.poll(() => words.innerText()).not.toContain('paid');
  await pictures(page, 'compare-words');
  await refusal.click();
  await totalBecomes(page, REFUSED);
  await expect.poll(() => page.getByTestId('query').innerText()).toContain('refused');
  await page.getByTestId('undo').click();
  await page.getByTestId('compare-swap').click();
  await counted(page, HALF, HALF);
  await refused('gone').waitFor();

  // A mistake is under its side, and the rows stay.
  const filter = page.getByTestId('compare-filter-a');
  await filter.fill('region:(');
  await filter.press('Enter');
  await page.getByTestId('compare-mistake-a').waitFor();
  await expect.poll(() => rows(page).count()).toBeGreaterThan(0);
  expect(await seriousFindings(page)).toEqual([]);
  await filter.fill('region=nowhere');
  await filter.press('Enter');
  await counted(page, 0, HALF);
  await expect
    .poll(() => page.getByTestId('compare-note').innerText())
    .toContain('A has no events');
  await filter.fill('');
  await filter.press('Enter');
  await page.getByTestId('compare-time-a').click();
  await page.getByTestId('compare-written-a').fill('14:00 to 14:30');
  await page.getByTestId('compare-apply-a').click();
  await counted(page, 1_800, HALF);
  await expect
    .poll(() => page.getByTestId('compare-note').innerText())
    .toContain('1200 events are on both');
});

test('a brushed range is explained, compared in the tab, and added to the notebook', async () => {
  const page = await open();
  await query(page, 'region=eu');
  await totalBecomes(page, (2 * HALF) / 3);
  await brush(page, 0.55, 0.95);
  const differs = page.getByTestId('difference-row');
  await differs.first().waitFor();
  await page.locator('[data-testid="difference"][aria-busy="false"]').waitFor();
  const inRange = await fewerThan(page, (2 * HALF) / 3);
  expect(inRange).toBeGreaterThan(0);
  expect((await differs.allInnerTexts()).join('\n')).toMatch(/took_ms.*\s+changed: .+ → .+/);
  expect(await seriousFindings(page)).toEqual([]);

  // Its words are counted when they are asked for, and a click includes one.
  await page.getByTestId('difference-words').click();
  const refusal = page.getByTestId('word').filter({ hasText: 'refused' });
  await refusal.waitFor();
  const [, here] = /refused\s+(\d+) here\s+\d+ elsewhere/.exec(await refusal.innerText()) ?? [];
  expect(await seriousFindings(page)).toEqual([]);
  await pictures(page, 'range-words');
  await refusal.click();
  await totalBecomes(page, Number(here));
  await expect.poll(() => page.getByTestId('query').innerText()).toBe('region=eu AND refused');
  await page.getByTestId('undo').click();
  await totalBecomes(page, inRange);
  await page.getByTestId('difference-more').click();
  await answered(page);
  const sides = await Promise.all([count(page, 'a'), count(page, 'b')]);
  expect(Number(sides[0]) + Number(sides[1])).toBe((2 * HALF) / 3);
  await expect.poll(() => page.getByTestId('compare-time-a').innerText()).toContain('All but');

  // The events of the other side are those outside of the range.
  await page.getByTestId('compare-count-a').click();
  await totalBecomes(page, Number(sides[0]));
  await page.getByTestId('undo').click();

  // The palette and the menu take other sides from the same range: what is before it, and before a marker in it.
  await inPalette(page, 'same length before');
  await page.keyboard.press('Enter');
  await eventually('the same length before', async () => {
    const time = await page.getByTestId('compare-time-a').innerText();
    return !time.includes('All but') && (await count(page, 'b')) === sides[1];
  });
  await page.keyboard.press('m');
  await page.getByTestId('note-prompt').getByRole('textbox').fill('deployed');
  await page.keyboard.press('Enter');
  await page.getByTestId('compare-take').click();
  await page.getByRole('menuitem', { name: 'After “deployed” vs. before it' }).click();
  await eventually('all of the time before the marker', async () => {
    const before = Number(await count(page, 'a'));
    const isBetween = before > Number(sides[1]) && before < Number(sides[0]);
    return isBetween && (await count(page, 'b')) === sides[1];
  });
  // What is added to the notebook is drawn from the rows that are there.
  await answered(page);

  await page.getByTestId('compare-cite').click();
  await page.getByTestId('confirmation').waitFor();
  await page.getByTestId('tab-notes').click();
  const cell = page.locator('[data-testid="cell"][data-answered="true"]');
  await textBecomes(cell.first(), /took_ms/);
  // What moved is drawn on the page too.
  await cell.getByTestId('quantile-curve').first().waitFor();
});

test('comparisons in a case and with another one are written into the notebook and exported', async () => {
  const page = await opened([shopLog('yesterday', 1_000)]);
  await imported(page, 1_000);
  await page.getByTestId('case-menu').click();
  await page.getByTestId('case-menu-close').click();
  const dialog = page.waitForEvent('filechooser');
  await page.getByTestId('look-first').click();
  await (await dialog).setFiles([shopLog()]);
  await page.getByTestId('start-import').click();
  await imported(page, 2 * HALF);

  const cite = async () => {
    await page.getByTestId('compare-cite').click();
    await page.getByTestId('confirmation').waitFor();
  };
  await page.keyboard.press('Alt+4');
  await page.getByTestId('start-halves').click();
  await counted(page, HALF, HALF);
  await cite();
  await page.getByTestId('compare-place-a').click();
  await page.getByRole('menuitem', { name: 'yesterday' }).click();
  await counted(page, 1_000, HALF);
  await cite();

  // The first is answered again by a cell; the second is a table with its sides and what each row says.
  await page.getByTestId('tab-notes').click();
  const written = page.getByTestId('page-preview');
  const cell = written.locator('[data-testid="cell"][data-kind="query"][data-answered="true"]');
  await textBecomes(cell, /new payment of order <num> refused 0 120 .* template=t/);
  await written.getByTestId('quantile-curve').first().waitFor();
  const evidence = written.locator('tr', { hasText: `Only in B: ${REFUSED}, 10% of its events.` });
  await textBecomes(evidence, /new payment of order <num> refused .* 0 120 [\d.]+ template=t/);
  await textBecomes(written, /A: 1,000 events of yesterday, .* B: 1,200 events of shop, /);
  expect(await seriousFindings(page)).toEqual([]);
  await pictures(page, 'compare-notebook');

  const html = await exported(page, 'html');
  expect(html).not.toContain('<script');
  expect(html.split('payment of order &lt;num&gt; refused').length).toBeGreaterThan(2);
  for (const wanted of ['<svg', 'A: 1,000 events of yesterday', `Only in B: ${REFUSED}`])
    expect(html).toContain(wanted);
});
