/** Charts, results of queries with stages, and boards, in a browser. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Browser, Download, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { seriousFindings } from './support/accessible';
import { eventually, temporaryFolder } from './support/machine';
import { brush, openBrowser, query, restingBox, textBecomes, totalBecomes } from './support/page';
import { pictures } from './support/picture';
import { serve, type Server } from './support/server';

const MINUTES = 120;
const PER_MINUTE = 10;
const EVENTS = MINUTES * PER_MINUTE;
const SERVICES = ['cart', 'stock', '=SUM(A1)'];

/** Two hours of requests; from the second hour on they take four times as long. */
function durations(): string {
  const start = Date.UTC(2026, 2, 1, 12);
  const lines = Array.from({ length: EVENTS }, (_, at) => {
    const minute = Math.floor(at / PER_MINUTE);
    const ts = new Date(start + (at * 60_000) / PER_MINUTE).toISOString();
    const slow = minute >= MINUTES / 2 ? 4 : 1;
    return JSON.stringify({
      ts,
      level: at % 50 === 0 ? 'error' : 'info',
      service: SERVICES[at % SERVICES.length],
      duration_ms: slow * (10 + (at % 7)),
      message: `answer ${at}`,
    });
  });
  const path = join(temporaryFolder(), 'answers.jsonl');
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

let browser: Browser;
let server: Server;
let page: Page;

beforeAll(async () => {
  browser = await openBrowser();
  server = await serve([durations()]);
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    timezoneId: 'UTC',
    locale: 'en-GB',
  });
  page = await context.newPage();
  await page.goto(server.address);
  await totalBecomes(page, EVENTS);
  await page.locator('[data-testid="import-panel"][data-active="false"]').waitFor();
  await page.getByTestId('tab-charts').click();
});

afterAll(async () => {
  await browser.close();
  await server.stop();
});

/** Waits for a chart with a complete answer. */
async function charted(shape: string): Promise<void> {
  const chart = page.locator(`[data-testid="chart"][data-shape="${shape}"][data-busy="false"]`);
  await chart.and(page.locator('[data-fraction="1"]')).first().waitFor();
}

const choose = (what: string, value: string) =>
  page.getByTestId(`chart-${what}`).selectOption(value);

async function chooseField(what: string, field: string): Promise<void> {
  await page.getByTestId(`chart-${what}`).click();
  await page.getByTestId(`chart-${what}-${field}`).click();
}

async function saved(start: () => Promise<void>): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), start()]);
  return { name: download.suggestedFilename(), text: await contentOf(download) };
}

async function contentOf(download: Download): Promise<string> {
  const path = join(temporaryFolder(), 'download');
  await download.saveAs(path);
  return readFileSync(path, 'latin1');
}

/** Drags over a part of the chart, given as shares of its width. */
async function brushChart(from: number, to: number): Promise<void> {
  const box = await restingBox(page.getByTestId('chart-canvas').first());
  const middle = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * from, middle);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * to, middle, { steps: 6 });
  await page.mouse.up();
}

describe('charts', () => {
  beforeEach(async () => {
    await query(page, '');
    await page.keyboard.press('Escape');
    if (await page.getByTestId('range-clear').count())
      await page.getByTestId('range-clear').click();
    await totalBecomes(page, EVENTS);
    // The result of a query with stages is shown until the next query is known to have none.
    await page.getByTestId('chart-field').waitFor();
    if (await page.getByTestId('chart-reset').count())
      await page.getByTestId('chart-reset').click();
    await charted('time');
  });

  test('a field is a heatmap with percentiles in two clicks, and a drag zooms everything', async () => {
    await chooseField('field', 'duration_ms');
    await charted('heat');
    const legend = page.getByTestId('legend');
    await legend.getByText('p95').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await pictures(page, 'heatmap');
    await brushChart(0.55, 0.95);
    await eventually('fewer events', async () => {
      const shown = await page.getByTestId('timeline').getAttribute('data-total');
      return Number(shown) > 0 && Number(shown) < EVENTS / 2 + 1;
    });
    await charted('heat');
    await page.getByTestId('undo').click();
    await totalBecomes(page, EVENTS);
  });

  test('a line is drawn with that of the previous period', async () => {
    await chooseField('field', 'duration_ms');
    await choose('kind', 'lines');
    await choose('measure', 'p50');
    await charted('time');
    await brushChart(0.52, 0.97);
    await page.getByTestId('range-clear').waitFor();
    await choose('compare', 'previous');
    await charted('time');
    // Nearly all of the previous period is in the first hour, which was four times as fast.
    await textBecomes(page.getByTestId('compared'), /^\S+ m?s → \S+ m?s \(\+(2[5-9]\d|300) %\)$/);
    // The caption has the times that were asked for, not those of the bars.
    await page.getByTestId('range').click();
    await page.getByTestId('range-written').fill('2026-03-01T12:30:07/12:41:09');
    await page.keyboard.press('Enter');
    const caption = page.getByTestId('chart').getByText('shifted to 2026-03-01');
    await eventually('the times of the previous period', async () =>
      (await caption.innerText()).includes('12:19:05 – 12:30:07'),
    );
    expect(await seriousFindings(page)).toEqual([]);
    await pictures(page, 'compare');
  });

  test('all percentiles are drawn by service, and a reload keeps how gaps are drawn', async () => {
    await chooseField('field', 'duration_ms');
    await chooseField('split', 'service');
    await choose('measure', 'percentiles');
    await charted('time');
    const legend = page.getByTestId('legend');
    await legend.getByText('cart p50').waitFor();
    await legend.getByText('cart p99').waitFor();
    await expect.poll(() => legend.getByRole('listitem').count()).toBe(3 * SERVICES.length);
    await choose('gaps', 'zero');
    expect(await seriousFindings(page)).toEqual([]);
    await pictures(page, 'percentiles-split');
    await page.reload();
    await charted('time');
    await legend.getByText('cart p99').waitFor();
    await expect.poll(() => page.getByTestId('chart-gaps').inputValue()).toBe('zero');
  });

  test('top values filter, and their values are a table without formulas', async () => {
    await chooseField('field', 'service');
    await charted('terms');
    await expect.poll(() => page.getByTestId('term').count()).toBe(SERVICES.length);
    expect(await seriousFindings(page)).toEqual([]);
    await brush(page, 0.5, 0.97);
    await choose('compare', 'previous');
    // The value before and after, and the change.
    await textBecomes(page.getByTestId('term-compared').first(), /^\S+ → \S+ \([+−±×].+\)$/);
    await choose('compare', 'none');
    await page.getByTestId('range-clear').click();
    await totalBecomes(page, EVENTS);
    await charted('terms');
    await page.getByTestId('chart-export').click();
    await pictures(page, 'terms');
    const csv = await saved(() => page.getByTestId('chart-export-csv').click());
    expect(csv.name).toBe('Top-service.csv');
    expect(csv.text).toContain("'=SUM(A1),400,");
    expect(csv.text).not.toMatch(/^=/m);
    await page.getByTestId('show-numbers').click();
    await textBecomes(page.getByTestId('numbers'), '400');
    await page.getByTestId('show-numbers').click();
    await page.getByTestId('term').first().locator('.name').hover();
    await page.getByTestId('value-tools').locator('[data-action="only"]').click();
    await totalBecomes(page, EVENTS / SERVICES.length);
    await expect.poll(() => page.getByTestId('query').innerText()).toContain('service=');
  });

  test('a histogram filters by the selected numbers', async () => {
    await chooseField('field', 'duration_ms');
    await choose('kind', 'histogram');
    await charted('bins');
    expect(await seriousFindings(page)).toEqual([]);
    await pictures(page, 'histogram');
    await brushChart(0.1, 0.5);
    await eventually('a filter', async () =>
      (await page.getByTestId('query').innerText()).includes('duration_ms:['),
    );
    await eventually('fewer events', async () => {
      const shown = Number(await page.getByTestId('timeline').getAttribute('data-total'));
      return shown > 0 && shown < EVENTS;
    });
  });

  test('the legend toggles series, keys walk through the buckets', async () => {
    await chooseField('split', 'level');
    await charted('time');
    const error = page.getByTestId('legend').getByRole('button', { name: /error/ });
    await error.click();
    await expect.poll(() => error.getAttribute('aria-pressed')).toBe('false');
    await page.getByTestId('undo').click();
    await expect.poll(() => error.getAttribute('aria-pressed')).toBe('true');
    const plot = page.getByTestId('chart').getByRole('slider');
    await plot.focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    await expect.poll(() => plot.getAttribute('aria-valuetext')).toContain('12:00');
    await page.keyboard.press('Enter');
    await page.getByTestId('range-clear').waitFor();
  });

  test('an image and an SVG are exported', async () => {
    await page.getByTestId('chart-export').click();
    const svg = await saved(() => page.getByTestId('chart-export-svg').click());
    expect(svg.text).toMatch(/^<svg [^]*Count over time[^]*<\/svg>\n$/);
    await page.getByTestId('chart-export').click();
    const png = await saved(() => page.getByTestId('chart-export-png').click());
    expect(png.text.slice(1, 4)).toBe('PNG');
  });

  test('uses the zone of the view, and its files stay in UTC', async () => {
    const zone = async (name: string) => {
      await page.getByTestId('range').click();
      await page.getByTestId('zone').selectOption(name);
      await page.keyboard.press('Escape');
    };
    await page.getByTestId('show-numbers').click();
    const numbers = page.getByTestId('numbers');
    await numbers.getByText('Time (UTC)').waitFor();
    const first = () => numbers.getByRole('cell').first().innerText();
    expect(await first()).toBe('2026-03-01 12:00');
    await zone('Asia/Tokyo');
    await numbers.getByText('Time (Asia/Tokyo)').waitFor();
    await eventually('the time of that zone', async () => (await first()) === '2026-03-01 21:00');
    await page.getByTestId('show-numbers').click();
    const plot = page.getByTestId('chart').getByRole('slider');
    await plot.focus();
    await page.keyboard.press('Home');
    await expect.poll(() => plot.getAttribute('aria-valuetext')).toContain('21:00');
    await page.getByTestId('chart-export').click();
    const csv = await saved(() => page.getByTestId('chart-export-csv').click());
    expect(csv.text).toContain('2026-03-01T12:00:00Z,');
    await pictures(page, 'chart-zone');
    await query(page, '| stats max(time) as last by service');
    await page.keyboard.press('Escape');
    await page.getByTestId('result-head').filter({ hasText: '(Asia/Tokyo)' }).waitFor();
    await page.getByTestId('result-row').filter({ hasText: '2026-03-01 22:59' }).first().waitFor();
    await query(page, '');
    await page.keyboard.press('Escape');
    await zone('UTC');
  });

  test('says why there is nothing to draw', async () => {
    await query(page, 'nowhere_to_be_found');
    await page.getByTestId('chart-message').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });
});

describe('a query with stages', () => {
  const STAGES = '| stats count, p95(duration_ms) as slow by service';

  test('is a table that sorts, becomes a chart and is exported', async () => {
    await query(page, STAGES);
    await page.keyboard.press('Escape');
    const result = page.locator('[data-testid="result"][data-fraction="1"]');
    await eventually('three rows', async () => (await result.getAttribute('data-total')) === '3');
    await page.getByTestId('result-row').first().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await pictures(page, 'result');
    await page.getByTestId('result-head').filter({ hasText: 'service' }).click();
    await eventually('a sorted query', async () =>
      (await page.getByTestId('query').innerText()).includes('| sort -service'),
    );
    await eventually('sorted rows', async () =>
      (await page.getByTestId('result-row').first().innerText()).includes('stock'),
    );
    await page.getByTestId('result-export').click();
    const csv = await saved(() => page.getByTestId('result-export-csv').click());
    expect(csv.text.split('\n')[0]?.trim()).toBe('service,count,slow');
    expect(csv.text).not.toMatch(/^=/m);
    await page.getByTestId('result-export').click();
    const parquet = await saved(() => page.getByTestId('result-export-parquet').click());
    expect(parquet.text.slice(0, 4)).toBe('PAR1');
    await page.getByTestId('result-as-chart').click();
    await expect.poll(() => page.getByTestId('term').count()).toBe(3);
    await query(page, '');
    await charted('time');
  });
});

describe('boards', () => {
  test('keep charts in the case, which are moved, renamed, removed and restored', async () => {
    await chooseField('field', 'duration_ms');
    await charted('heat');
    await page.getByTestId('add-to-board').click();
    await page.getByTestId('add-to-board-new').click();
    await page.getByTestId('board').first().waitFor();
    await chooseField('field', 'service');
    await charted('terms');
    await page.getByTestId('add-to-board').click();
    await page.getByRole('menuitem').first().click();
    await page.getByTestId('confirmation').filter({ hasText: 'Added' }).waitFor();
    await page.getByTestId('board').first().click();
    const cards = page.getByTestId('board-card');
    await cards.nth(1).waitFor();
    const titles = () =>
      cards
        .getByTestId('rename')
        .evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value));
    expect(await titles()).toEqual(['duration_ms over time', 'Top service']);
    await page.getByTestId('board-grip').first().focus();
    await page.keyboard.press('ArrowRight');
    await eventually('another order', async () => (await titles())[0] === 'Top service');
    await cards.nth(1).getByTestId('rename').fill('How long');
    await page.keyboard.press('Enter');
    // The field has it at once; its button when it is stored.
    await cards.nth(1).getByTestId('card-open').and(page.getByTitle('Edit How long')).waitFor();
    expect((await titles())[1]).toBe('How long');
    expect(await seriousFindings(page)).toEqual([]);
    await pictures(page, 'board');

    await page.reload();
    await page.getByTestId('board-view').waitFor();
    await cards.nth(1).waitFor();
    await eventually('the stored titles', async () => {
      return (await titles()).join() === 'Top service,How long';
    });
    await cards.first().getByTestId('card-remove').click();
    await eventually('one chart', async () => (await cards.count()) === 1);
    await page.getByTestId('board-undo').click();
    await eventually('two charts', async () => (await cards.count()) === 2);
    await query(page, 'service:cart');
    await totalBecomes(page, EVENTS / SERVICES.length);
    await eventually('one value', async () => (await page.getByTestId('term').count()) === 1);
  });

  test('follow what another tab renames and removes', async () => {
    await query(page, '');
    if ((await page.getByTestId('board').count()) === 0) {
      await chooseField('field', 'level');
      await charted('terms');
      await page.getByTestId('add-to-board').click();
      await page.getByTestId('add-to-board-new').click();
      await page.getByTestId('board').first().waitFor();
    }
    const other = await page.context().newPage();
    await other.goto(server.address);
    await other.getByTestId('tab-charts').click();
    const name = page.getByTestId('board').first();
    await other.getByTestId('board').first().click();
    await other.getByTestId('board-view').getByTestId('rename').first().fill('Of both');
    await other.keyboard.press('Enter');
    await name.filter({ hasText: 'Of both' }).waitFor();
    await other.getByTestId('board-remove').click();
    await name.waitFor({ state: 'detached' });
    await other.close();
  });

  test('a chart keeps its own filter, which the filter of the view narrows', async () => {
    await page.getByTestId('board-none').click();
    await query(page, 'service:cart');
    await totalBecomes(page, EVENTS / SERVICES.length);
    await chooseField('field', 'level');
    await charted('terms');
    await page.getByTestId('add-to-board').click();
    await page.getByTestId('add-to-board-new').click();
    await page.getByTestId('confirmation').filter({ hasText: 'Added' }).waitFor();
    await query(page, '');
    await totalBecomes(page, EVENTS);
    await page.getByTestId('board').last().click();
    const card = page.getByTestId('board-card');
    await textBecomes(card.getByTestId('card-filter'), 'service:cart');
    const chart = card.getByTestId('chart');
    await expect.poll(() => chart.getAttribute('aria-label')).toBe('Top level: service:cart');
    const totalIs = (count: number) =>
      expect.poll(() => chart.getAttribute('data-total')).toBe(String(count));
    await totalIs(EVENTS / SERVICES.length);
    await query(page, 'level:error');
    const errors = EVENTS / 50;
    await totalBecomes(page, errors);
    await totalIs(errors / SERVICES.length);
    expect(await seriousFindings(page)).toEqual([]);
    await pictures(page, 'board-filter');
    await card.getByTestId('card-open').click();
    await totalBecomes(page, errors / SERVICES.length);
    await expect.poll(() => page.getByTestId('query').innerText()).toContain('service:cart');
  });
});
