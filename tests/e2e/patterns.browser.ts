/** Charts of the variables of patterns, their names, and patterns that are hidden, in a browser. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { seriousFindings } from './support/accessible';
import { eventually, temporaryFolder } from './support/machine';
import { opening } from './support/opening';
import { exported, query, textBecomes, totalBecomes } from './support/page';

const MINUTES = 60;
/** Each takes so long that seconds and milliseconds must be compared as durations. */
const TOOK = ['12ms', '900ms', '1.5s', '3s'];
const USERS = ['anna', 'ben', 'cleo', 'dan', 'eve', 'finn', 'gus'];

const opened = opening();

async function open(): Promise<Page> {
  const lines: string[] = [];
  for (let minute = 0; minute < MINUTES; minute += 1) {
    const write = (level: string, message: string) => {
      const time = new Date(Date.UTC(2026, 2, 1, 14, minute)).toISOString();
      lines.push(JSON.stringify({ time, level, message }));
    };
    write(
      'info',
      `request of ${USERS[minute % USERS.length]!} took ${TOOK[minute % TOOK.length]!}`,
    );
    if (minute % 2 === 0) write('info', 'health check passed');
  }
  const path = join(temporaryFolder(), 'shop.jsonl');
  writeFileSync(path, lines.join('\n') + '\n');
  const page = await opened([path]);
  await totalBecomes(page, lines.length);
  await page.locator('[data-testid="import-panel"][data-active="false"]').waitFor();
  await page.keyboard.press('Alt+3');
  await page.getByTestId('pattern').nth(1).waitFor();
  return page;
}

const patternOf = (page: Page, text: string) =>
  page.getByTestId('pattern').filter({ hasText: text });

test('a variable becomes a chart, a table or a column, and Back returns to the patterns', async () => {
  const page = await open();
  const requests = patternOf(page, 'took');
  await requests.getByRole('button', { expanded: false }).click();
  await page.getByTestId('variable-percentiles').first().waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Percentiles over time: took_ms' }).click();

  await textBecomes(
    page.getByTestId('query'),
    /timechart p50\(took_ms\), p95\(took_ms\), p99\(took_ms\)/,
  );
  const result = page.locator('[data-testid="result"][data-fraction="1"]');
  await result.waitFor();
  await textBecomes(result, /p50\(took_ms\)[^]*p95\(took_ms\)[^]*p99\(took_ms\)/);

  await page.keyboard.press('Alt+ArrowLeft');
  await requests.getByRole('button', { expanded: false }).click();
  await page.getByTestId('variable-top').first().click();
  await expect.poll(() => result.getAttribute('data-total')).toBe(String(USERS.length));

  await page.keyboard.press('Alt+ArrowLeft');
  await requests.getByRole('button', { expanded: false }).click();
  await page.getByRole('button', { name: 'Field: took_ms' }).click();
  await expect.poll(() => result.getAttribute('data-total')).toBe(String(MINUTES));
  await page.getByTestId('result-head').filter({ hasText: 'took_ms' }).waitFor();
});

test('a name appears wherever the pattern does, and is undone', async () => {
  const page = await open();
  await patternOf(page, 'took').getByRole('button', { expanded: false }).focus();
  await page.keyboard.press('n');
  await page.getByTestId('pattern-name').fill('Slow requests');
  await page.keyboard.press('Enter');
  const named = patternOf(page, 'Slow requests');
  await textBecomes(named, /Slow requests request of/);

  await page.reload();
  await named.getByRole('button', { name: 'Include this pattern' }).click();
  await page.getByTestId('pill').filter({ hasText: 'Slow requests' }).waitFor();
  await page.keyboard.press('Control+z');

  await page.getByTestId('patterns-as-seismograph').click();
  await page.locator('[data-testid="seismograph"][data-rows="2"]').waitFor();
  await page.getByTestId('seismograph-grid').focus();
  await page.keyboard.press('ArrowDown');
  const cell = page.getByTestId('seismograph-cell');
  await eventually('the cursor in the named row', async () => {
    if ((await cell.innerText()).includes('Slow requests')) return true;
    await page.keyboard.press('ArrowDown');
    return false;
  });
  await page.getByTestId('seismograph-cite').click();
  await page.getByTestId('tab-notes').click();
  expect(await exported(page, 'html')).toContain('Slow requests');

  await page.keyboard.press('Alt+3');
  await page.getByTestId('patterns-as-list').click();
  await named.getByTestId('pattern-rename').click();
  await page.getByTestId('pattern-name').fill('');
  await page.keyboard.press('Enter');
  await patternOf(page, 'Slow requests').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+z');
  await named.waitFor();

  // In place of the id and of the text.
  await query(page, '* | patterns');
  const row = page.getByTestId('result-row').filter({ hasText: 'Slow requests' });
  await row.waitFor();
  await expect.poll(() => row.innerText()).not.toMatch(/took|t[0-9a-f]{16}/);

  // Other programs rely on ids.
  await query(page, '* | top template');
  await row.waitFor();
  await page.getByTestId('result-as-chart').click();
  await page.getByTestId('term').filter({ hasText: 'Slow requests' }).waitFor();
  await page.getByTestId('chart-export').click();
  const coming = page.waitForEvent('download');
  await page.getByTestId('chart-export-csv').click();
  const csv = readFileSync(await (await coming).path(), 'utf8');
  expect(csv).toMatch(/^t[0-9a-f]{16},/m);
  expect(csv).not.toContain('Slow requests');
});

test('a hidden pattern is listed under n hidden, and its events are still found', async () => {
  const page = await open();
  const before = MINUTES * 1.5;
  await patternOf(page, 'health').getByRole('button', { expanded: false }).focus();
  await page.keyboard.press('h');
  await textBecomes(page.getByTestId('hidden-patterns'), '1 hidden');
  await expect.poll(() => page.getByTestId('pattern').count()).toBe(1);
  await totalBecomes(page, before);
  await page.getByTestId('patterns-as-seismograph').click();
  await page.locator('[data-testid="seismograph"][data-rows="1"]').waitFor();
  await page.getByTestId('seismograph-hidden').click();
  await page.locator('[data-testid="seismograph"][data-rows="2"]').waitFor();
  await page.getByTestId('patterns-as-list').click();

  await page.getByTestId('hidden-patterns').click();
  await page.getByTestId('hidden-list').getByTestId('pattern-hide').click();
  await page.getByTestId('hidden-patterns').waitFor({ state: 'detached' });
  await expect.poll(() => page.getByTestId('pattern').count()).toBe(2);
});
