/** A cluster that is added by hand and opened like a case, in a browser. */
import { afterEach, expect, test } from 'vitest';

import { seriousFindings } from './support/accessible';
import { shopEvent, standIn, type StandIn } from './support/cluster';
import { eventually } from './support/machine';
import { opening } from './support/opening';
import { attributeBecomes, listBecomes, query, textBecomes, totalBecomes } from './support/page';
import { pictures } from './support/picture';

const EVENTS = 12_500;

const opened = opening();
let cluster: StandIn | null = null;

afterEach(async () => {
  await cluster?.stop();
  cluster = null;
});

test('a cluster is added, tried, opened like a case, and switched off with all others', async () => {
  cluster = await standIn(Array.from({ length: EVENTS }, (_, at) => shopEvent(at)));
  const page = await opened();
  const sheet = page.getByTestId('remotes-sheet');

  await page.getByTestId('open-remotes').click();
  await sheet.getByTestId('no-remotes').waitFor();
  await sheet.getByTestId('remote-name').fill('prod');
  await sheet.getByTestId('remote-url').fill(cluster.url);
  await sheet.getByTestId('remote-index').fill('logs-*');
  await sheet.getByTestId('add-remote').click();
  await sheet.getByTestId('remote').waitFor();
  expect(cluster.asked, 'adding connects to nothing').toEqual([]);
  await expect.poll(() => sheet.getByTestId('remote').innerText()).toContain(cluster.url);
  await sheet.getByTestId('test-remote').click();
  const tested = sheet.getByTestId('remote-tested');
  await attributeBecomes(tested, 'data-usable', 'true');
  await textBecomes(tested, 'Elasticsearch 8.19.21');
  await pictures(page, 'remotes-sheet');
  expect(await seriousFindings(page)).toEqual([]);

  await sheet.getByTestId('open-remote').click();
  await listBecomes(page, EVENTS);
  await expect.poll(() => page.getByTestId('remote-mark').innerText()).toMatch(/prod\s*cluster/);
  await expect.poll(() => page.getByTestId('add-files').count()).toBe(0);
  const rows = page.getByTestId('row');
  await textBecomes(rows.first(), 'request 0 to upstream');
  // The last events are far from all that were read.
  await rows.first().click();
  await page.keyboard.press('End');
  const last = page.getByText(`request ${EVENTS - 1} to upstream`);
  await last.first().waitFor();
  await textBecomes(page.getByTestId('detail'), 'payment');
  await pictures(page, 'remote-events');
  expect(await seriousFindings(page)).toEqual([]);

  await query(page, 'level>=error service:cart');
  await totalBecomes(page, Math.ceil((EVENTS - 3) / 12));
  await textBecomes(page.getByTestId('remote-remarks'), 'Not exact: level>=error');
  await query(page, 'is:starred');
  await textBecomes(page.getByTestId('query-error'), 'kept in cases');
  await query(page, 'service:cart | stats count as events, p95(status)');
  const result = page.getByTestId('result');
  await eventually('the result, and what of it is estimated', async () => {
    const text = await result.innerText();
    return text.includes('4,167') && text.includes('estimated (t-digest)');
  });

  await page.getByTestId('result-exact').click();
  await eventually('figures that are exact', async () => {
    const text = await result.innerText();
    return text.includes('ran here, over 4167 fetched events') && !text.includes('t-digest');
  });
  await pictures(page, 'remote-exact');

  await query(page, '*');
  await page.getByTestId('tab-patterns').click();
  await page.getByTestId('pattern').first().waitFor();
  await textBecomes(page.getByTestId('remote-remarks'), 'sample of 10000 of 12500');
  await pictures(page, 'remote-patterns');
  expect(await seriousFindings(page)).toEqual([]);

  for (const tab of ['compare', 'detectors', 'notes']) {
    await page.getByTestId(`tab-${tab}`).click();
    await textBecomes(page.getByTestId('not-available'), 'not available for a cluster');
  }

  await page.getByTestId('tab-events').click();
  cluster.isPartial = true;
  await query(page, 'service:search');
  const partial = page.getByTestId('remote-partial');
  await textBecomes(partial, '1 of 2 shards failed');
  await pictures(page, 'remote-partial');
  cluster.isPartial = false;
  await query(page, 'service:payment');
  await partial.waitFor({ state: 'detached' });
  // No request is under way any more that could still connect.
  await listBecomes(page, Math.floor((EVENTS + 1) / 3));
  await page.locator('[data-testid="fields"][data-busy="false"]').waitFor();

  await page.getByTestId('remote-mark').click();
  await sheet.getByTestId('all-remotes-off').check();
  await eventually('all switches at rest', async () =>
    sheet.getByTestId('open-remote').isDisabled(),
  );
  await page.keyboard.press('Escape');
  const before = cluster.asked.length;
  await query(page, 'service:cart');
  await page.getByText('all clusters are switched off', { exact: false }).first().waitFor();
  expect(cluster.asked.length, 'nothing connects').toBe(before);
});
