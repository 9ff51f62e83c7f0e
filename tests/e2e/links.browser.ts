/** Sources whose ids are the same under other names, and a clock that is set right from them, in a browser. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { seriousFindings } from './support/accessible';
import { eventually, temporaryFolder } from './support/machine';
import { opening } from './support/opening';
import { inPalette, textBecomes, totalBecomes } from './support/page';
import { pictures } from './support/picture';

const ORDERS = 60;
const AHEAD_MS = 90_000;

const opened = opening();

/** A shop and its worker, whose clock is 90 seconds ahead. */
function logs(): string[] {
  const folder = temporaryFolder();
  const at = (index: number) => Date.UTC(2026, 2, 1, 14) + index * 7_000;
  const order = (index: number) => 40_000 + ((index * 7_919) % 9_000);
  const shop = Array.from({ length: ORDERS }, (_, index) =>
    JSON.stringify({
      ts: new Date(at(index)).toISOString(),
      order: { id: order(index) },
      message: 'order paid',
    }),
  );
  const worker = Array.from({ length: ORDERS }, (_, index) => {
    const time = new Date(at(index) + AHEAD_MS + 5 + (index % 4)).toISOString();
    return `${time} INFO  [worker-1] com.example.Queue - order ${order(index)} packed`;
  });
  const written = { 'shop.jsonl': shop, 'worker.log': worker };
  return Object.entries(written).map(([name, lines]) => {
    const path = join(folder, name);
    writeFileSync(path, lines.join('\n') + '\n');
    return path;
  });
}

test('ids under other names are found, and the clock of a source is set right from them', async () => {
  const page = await opened(logs());
  await totalBecomes(page, 2 * ORDERS);
  await page.locator('[data-testid="import-panel"][data-active="false"]').waitFor();

  const open = async () => {
    await inPalette(page, 'Links: show which');
    await page.keyboard.press('Enter');
    await page.getByTestId('clock').first().waitFor();
  };
  await open();
  const sheet = page.getByTestId('links-sheet');
  const link = sheet.getByTestId('link');
  await expect.poll(() => link.count()).toBe(1);
  await expect.poll(() => link.innerText()).toMatch(/order\.id[^=]*=[^=]*text after “order”/);
  await expect
    .poll(() => sheet.getByTestId('clock').innerText())
    .toContain('The clock of worker.log is 1 min 30 s ahead of that of shop.jsonl');
  await pictures(page, 'links');
  expect(await seriousFindings(page)).toEqual([]);

  // An id is followed under both names, and the query is one that a person can read and change.
  await link.locator('button.value').first().click();
  const names = page.getByTestId('linked-names');
  await names.getByTestId('filter-by-names').waitFor();
  await textBecomes(names.locator('code'), /^order\.id=(\d+) OR "order \1"$/);
  await pictures(page, 'linked-names');
  expect(await seriousFindings(page)).toEqual([]);
  await names.getByTestId('filter-by-names').click();
  await totalBecomes(page, 2);
  await page.keyboard.press('Control+z');
  await totalBecomes(page, 2 * ORDERS);
  await open();
  await link.getByTestId('link-transactions').click();
  await page.locator(`[data-testid="result"][data-total="${ORDERS}"]`).waitFor();
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
  await open();

  await sheet.getByTestId('correct-clock').click();
  await page.keyboard.press('Escape');
  await sheet.waitFor({ state: 'detached' });
  await eventually('clocks that agree', async () => {
    await open();
    const agrees = await sheet.getByTestId('clock').getAttribute('data-differs');
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    return agrees === 'false';
  });
});
