/** A case that is shown with a cluster, in a browser: one timeline with a lane for each, one list, one table. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterEach, expect, test } from 'vitest';

import { seriousFindings } from './support/accessible';
import { shopEvent, standIn, type StandIn } from './support/cluster';
import { eventually, temporaryFolder } from './support/machine';
import { opening } from './support/opening';
import {
  attributeBecomes,
  listBecomes,
  query,
  rowsAreWhole,
  textBecomes,
  totalBecomes,
} from './support/page';
import { pictures } from './support/picture';

const EVENTS = 9_000;

const opened = opening();
let cluster: StandIn | null = null;

afterEach(async () => {
  await cluster?.stop();
  cluster = null;
});

test('a case is shown with a remote: one timeline, one list, one table, and alone again', async () => {
  // Every third event is in the file, the others are in the cluster.
  const all = Array.from({ length: EVENTS }, (_, at) => shopEvent(at));
  cluster = await standIn(all.filter((_, at) => at % 3 > 0));
  const own = all.filter((_, at) => at % 3 === 0);
  const log = join(temporaryFolder(), 'own.ndjson');
  writeFileSync(log, own.map((event) => JSON.stringify(event)).join('\n'));
  const page = await opened([log]);
  await totalBecomes(page, own.length);

  await page.getByTestId('connect').click();
  await page.getByRole('menuitem', { name: 'Show with a cluster…' }).click();
  const sheet = page.getByTestId('remotes-sheet');
  await sheet.getByTestId('remote-name').fill('prod');
  await sheet.getByTestId('remote-url').fill(cluster.url);
  await sheet.getByTestId('remote-index').fill('logs-*');
  await sheet.getByTestId('add-remote').click();
  await textBecomes(sheet.getByTestId('show-with'), /^Show with prod$/);
  await pictures(page, 'together-sheet');
  await sheet.getByTestId('show-with').click();

  await listBecomes(page, EVENTS);
  await expect.poll(() => page.getByTestId('remote-mark').innerText()).toMatch(/\+ prod\s*cluster/);
  await attributeBecomes(page.getByTestId('timeline'), 'data-laned', 'true');
  const rows = page.getByTestId('row');
  await eventually('events of both in the order of time', async () => {
    const texts = await rows.allInnerTexts();
    return [0, 1, 2, 3].every((at) => texts[at]?.includes(`request ${at} to upstream`));
  });
  await rowsAreWhole(page);
  // The last events are far from all that were read.
  await rows.first().click();
  await page.keyboard.press('End');
  await page
    .getByText(`request ${EVENTS - 1} to upstream`)
    .first()
    .waitFor();
  await textBecomes(page.getByTestId('detail'), 'prod: logs-1');
  await pictures(page, 'together-events');
  expect(await seriousFindings(page)).toEqual([]);

  await query(page, 'service:cart status:500');
  await totalBecomes(
    page,
    all.filter(({ service, status }) => service === 'cart' && status === 500).length,
  );
  await query(page, '* | stats count as events, p95(status) by service');
  const result = page.getByTestId('result');
  await eventually('one table of both', async () => {
    const text = await result.innerText();
    return text.includes('3,000') && !text.includes('estimated');
  });
  await pictures(page, 'together-table');

  await query(page, '*');
  for (const tab of ['patterns', 'compare', 'notes']) {
    await page.getByTestId(`tab-${tab}`).click();
    await textBecomes(
      page.getByTestId('not-available'),
      'not available for a case that is shown with a cluster',
    );
  }
  await page.getByTestId('tab-events').click();
  cluster.isPartial = true;
  await query(page, 'service:search');
  const partial = page.getByTestId('remote-partial');
  await textBecomes(partial, 'prod: 1 of 2 shards failed');
  await eventually('the matching events alone', async () => {
    const texts = await rows.allInnerTexts();
    return texts.length > 0 && texts.every((text) => text.includes('prod: logs-1'));
  });
  await pictures(page, 'together-partial');
  cluster.isPartial = false;
  await query(page, 'service:payment');
  await totalBecomes(page, EVENTS / 3);
  await partial.waitFor({ state: 'detached' });

  await page.getByTestId('remote-mark').click();
  await sheet.getByTestId('show-with').click();
  await totalBecomes(page, 0);
  await query(page, '*');
  await totalBecomes(page, own.length);
  await expect.poll(() => page.getByTestId('remote-mark').count()).toBe(0);
});
