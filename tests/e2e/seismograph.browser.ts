/** Message patterns over time, in a browser. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { seriousFindings } from './support/accessible';
import { eventually, temporaryFolder } from './support/machine';
import { opening } from './support/opening';
import { attributeBecomes, restingBox, textBecomes, totalBecomes } from './support/page';
import { pictures } from './support/picture';

const SECONDS = 7_200;
/** Refused connections begin here. */
const BROKEN = 4_800;
const REFUSED = (SECONDS - BROKEN) / 8;

const opened = opening();

function log(): { path: string; events: number } {
  const lines: string[] = [];
  for (let second = 0; second < SECONDS; second += 1) {
    const write = (level: string, message: string) => {
      const time = new Date(Date.UTC(2026, 2, 1, 14) + second * 1_000).toISOString();
      lines.push(JSON.stringify({ time, level, message }));
    };
    if ((second * 7_919) % 5 === 0) write('info', `request ${second} served`);
    if (second % 300 === 7) write('info', 'health check passed');
    if (second >= BROKEN && second % 8 === 3)
      write('error', `cache ${second} refused the connection`);
  }
  const path = join(temporaryFolder(), 'shop.jsonl');
  writeFileSync(path, lines.join('\n') + '\n');
  return { path, events: lines.length };
}

async function open(): Promise<Page> {
  const { path, events } = log();
  const page = await opened([path]);
  await totalBecomes(page, events);
  await page.locator('[data-testid="import-panel"][data-active="false"]').waitFor();
  await page.keyboard.press('Alt+3');
  await page.getByTestId('patterns-as-seismograph').click();
  await page.locator('[data-testid="seismograph"][data-rows="3"]').waitFor();
  return page;
}

test('says what starts and repeats, and a click shows the events of a cell', async () => {
  const page = await open();
  await textBecomes(page.getByTestId('seismograph-sum'), /^3 patterns · 1 starts, 1 repeats$/);
  expect(await seriousFindings(page)).toEqual([]);
  await pictures(page, 'seismograph');

  const grid = page.getByTestId('seismograph-grid');
  await grid.focus();
  await page.keyboard.press('ArrowDown');
  const cell = page.getByTestId('seismograph-cell');
  let row = 0;
  await eventually('the cursor in the row that starts', async () => {
    const text = await cell.innerText();
    if (text.includes('refused')) return true;
    await page.keyboard.press('ArrowDown');
    row += 1;
    return false;
  });
  await expect.poll(() => cell.innerText()).toContain('Starts at 2026-03-01 15:20');
  await page.keyboard.press('End');
  await expect.poll(() => cell.innerText()).toMatch(/[1-9]\d* events; usually/);

  const [box, label] = [await restingBox(grid), Number(await grid.getAttribute('data-label'))];
  const y = box.y + row * 20 + 10;
  await page.mouse.click(box.x + label + (box.width - label) * 0.9, y);
  await textBecomes(page.getByTestId('row').first(), 'refused');
  await page.keyboard.press('Control+z');
  // Its labels have their width when its own is measured.
  await attributeBecomes(grid, 'data-label', String(label));
  // The label is that of the whole row. What is above it may have another height than before.
  const now = await restingBox(grid);
  await page.mouse.click(now.x + label / 2, now.y + row * 20 + 10);
  await totalBecomes(page, REFUSED);
});

test('a brush zooms, and pinned rows are lanes of the timeline whatever the filter is', async () => {
  const page = await open();
  const grid = page.getByTestId('seismograph-grid');
  const timeline = page.getByTestId('timeline');
  await grid.focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('p');
  await page.locator('[data-testid="timeline"][data-laned="true"]').waitFor();
  await page.getByTestId('query').click();
  await page.keyboard.type('level:error');
  await page.keyboard.press('Enter');
  await totalBecomes(page, REFUSED);
  await expect.poll(() => timeline.getAttribute('data-laned')).toBe('true');
  // The key would undo only a part of what was typed, if that took a while.
  await page.getByTestId('undo').click();
  await page.getByTestId('unpin-patterns').click();
  await page.locator('[data-testid="timeline"][data-laned="false"]').waitFor();
  await page.locator('[data-testid="seismograph"][data-rows="3"][data-fraction="1"]').waitFor();

  const [box, label] = [await restingBox(grid), Number(await grid.getAttribute('data-label'))];
  const widthPx = box.width - label;
  await page.mouse.move(box.x + label + widthPx * 0.25, box.y + 30);
  await page.mouse.down();
  await page.mouse.move(box.x + label + widthPx * 0.4, box.y + 30, { steps: 4 });
  await page.mouse.move(box.x + label + widthPx * 0.5, box.y + 30, { steps: 4 });
  await page.mouse.up();
  await page.locator('[data-testid="seismograph"][data-rows="2"]').waitFor();
});

test('the picture is saved as SVG and PNG', async () => {
  const page = await open();
  for (const kind of ['svg', 'png']) {
    await page.getByTestId('seismograph-export').click();
    const saving = page.waitForEvent('download');
    await page.getByTestId(`seismograph-export-${kind}`).click();
    const bytes = readFileSync((await (await saving).path())!);
    if (kind === 'svg') {
      expect(bytes.toString()).toContain('refused the connection');
      expect(bytes.toString().match(/<rect/g)!.length).toBeGreaterThan(20);
    } else expect(bytes.subarray(1, 4).toString()).toBe('PNG');
  }
});
