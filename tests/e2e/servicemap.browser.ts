/** Who follows whom, from events with the same id, in a browser. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { seriousFindings } from './support/accessible';
import { temporaryFolder } from './support/machine';
import { opening } from './support/opening';
import { attributeBecomes, totalBecomes } from './support/page';
import { pictures } from './support/picture';

const REQUESTS = 60;

const opened = opening();

/** A gateway asks a shop, which asks payment; each fifth payment fails. */
function log(): string {
  const lines = Array.from({ length: REQUESTS }, (_, index) => {
    const step = (service: string, afterMs: number, level = 'info') => {
      const time = new Date(Date.UTC(2026, 2, 1, 14) + index * 1_000 + afterMs).toISOString();
      const trace_id = (index * 0x9e3779b1).toString(16).padStart(12, 'a');
      return JSON.stringify({ time, level, service, trace_id, message: `${service} works` });
    };
    const failed = index % 5 === 0;
    return [step('gateway', 0), step('shop', 10), step('payment', 40, failed ? 'error' : 'info')];
  });
  const path = join(temporaryFolder(), 'shop.jsonl');
  writeFileSync(path, lines.flat().join('\n') + '\n');
  return path;
}

test('steps are a picture and a table, and each leads to its events', async () => {
  const page = await opened([log()]);
  await totalBecomes(page, 3 * REQUESTS);
  await page.locator('[data-testid="import-panel"][data-active="false"]').waitFor();
  await page.keyboard.press('Alt+8');
  // The field of the id is chosen by its name.
  await page.getByTestId('map-id').filter({ hasText: 'trace_id' }).waitFor();
  // So is the field of the service. The menu searches if there are many fields, and marks the chosen one.
  const node = page.getByTestId('map-node');
  await node.filter({ hasText: 'service' }).waitFor();
  await node.click();
  await page.getByTestId('map-node-service').filter({ hasText: '✓' }).click();
  const map = page.locator('[data-testid="service-map"][data-edges="2"]');
  await map.waitFor();
  await expect
    .poll(() => page.getByTestId('map-sum').innerText())
    .toBe(`${REQUESTS} ids, ${2 * REQUESTS} steps`);
  const edges = await page.getByTestId('map-edge').allInnerTexts();
  expect(edges.map((text) => text.split(/\s*\t\s*/).slice(0, 2))).toEqual(
    expect.arrayContaining([
      ['gateway → shop', String(REQUESTS)],
      ['shop → payment', String(REQUESTS)],
    ]),
  );
  expect(edges.find((text) => text.startsWith('shop'))).toMatch(/30 ms\s+30 ms\s+20%/);
  expect(await seriousFindings(page)).toEqual([]);
  await pictures(page, 'service-map');

  const saving = page.waitForEvent('download');
  await page.getByTestId('map-export').click();
  await page.getByTestId('map-export-svg').click();
  expect((await saving).suggestedFilename()).toMatch(/\.svg$/);

  await page.getByTestId('map-node-filter').filter({ hasText: 'payment' }).click();
  await totalBecomes(page, REQUESTS);
  await page.keyboard.press('Control+z');
  await page.getByTestId('map-edge').first().getByRole('button').click();
  await totalBecomes(page, 2 * REQUESTS);

  // The map and the seismograph are drawn on a page of the notebook.
  await page.keyboard.press('Control+z');
  await page.getByTestId('map-cite').click();
  await page.keyboard.press('Alt+3');
  await page.getByTestId('patterns-as-seismograph').click();
  await page.getByTestId('seismograph-cite').click();
  await page.getByTestId('tab-notes').click();
  const drawn = page.getByTestId('cell-canvas');
  await drawn.nth(1).waitFor();
  await attributeBecomes(drawn.first(), 'data-slots', '3');
  await pictures(page, 'notebook-pictures');
});
