/** Matching events of a case to a cluster: shown first, sent, stopped, continued, and counted in both. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterEach, expect, test } from 'vitest';

import { seriousFindings } from './support/accessible';
import { shopEvent, standIn, type StandIn } from './support/cluster';
import { eventually, temporaryFolder } from './support/machine';
import { opening } from './support/opening';
import { attributeBecomes, inPalette, query, textBecomes, totalBecomes } from './support/page';
import { pictures } from './support/picture';

const EVENTS = 6_000;
const MATCHING = 4_000;

const opened = opening();
let cluster: StandIn | null = null;

afterEach(async () => {
  await cluster?.stop();
  cluster = null;
});

function document(at: number): Record<string, unknown> {
  return {
    ...shopEvent(at, 2_400),
    took: at / 8,
    client: `10.0.${Math.floor(at / 250)}.${at % 250}`,
    message: `request ${at} to the upstream of the shop was answered after some time`,
  };
}

test('matching events are shown, pushed, stopped, continued and compared with the case', async () => {
  cluster = await standIn([]);
  const log = join(temporaryFolder(), 'shop.ndjson');
  const lines = Array.from({ length: EVENTS }, (_, at) => JSON.stringify(document(at)));
  writeFileSync(log, lines.join('\n'));
  const page = await opened([log]);
  await totalBecomes(page, EVENTS);
  await query(page, 'NOT service:search');
  await totalBecomes(page, MATCHING);

  await page.getByTestId('connect').click();
  await page.getByRole('menuitem', { name: 'Push to a cluster…' }).click();
  const sheet = page.getByTestId('push-sheet');
  await sheet.getByTestId('push-no-remotes').getByRole('button').click();
  const remotes = page.getByTestId('remotes-sheet');
  await remotes.getByTestId('remote-name').fill('prod');
  await remotes.getByTestId('remote-url').fill(cluster.url);
  await remotes.getByTestId('remote-index').fill('logs-*');
  await remotes.getByTestId('add-remote').click();
  await remotes.getByTestId('remote').waitFor();
  await page.keyboard.press('Escape');
  await remotes.waitFor({ state: 'hidden' });

  // Opened from the palette, it shows the template before anything connects.
  await inPalette(page, 'Push the matching');
  await page.keyboard.press('Enter');
  const plan = sheet.getByTestId('push-plan');
  await textBecomes(plan, `4,000 events would be sent to shop.ndjson at ${cluster.url}`);
  await expect.poll(() => sheet.getByTestId('push-query').innerText()).toBe('NOT service:search');
  const mapping = (name: string) =>
    sheet.locator(`[data-testid="push-decision"][data-name="${name}"] .value`).innerText();
  expect(await mapping('status')).toBe('long');
  expect(await mapping('client')).toBe('ip');
  expect(await mapping('message')).toBe('text + keyword');
  expect(cluster.asked, 'a dry run connects to nothing').toEqual([]);
  await pictures(page, 'push-plan');
  expect(await seriousFindings(page)).toEqual([]);

  // Other choices need another dry run; a name that no index can have is said at once.
  const start = sheet.getByTestId('push-start');
  await sheet.getByTestId('push-index').fill('Incident 42');
  await expect.poll(() => start.isDisabled()).toBe(true);
  await sheet.getByTestId('push-look').click();
  const failure = sheet.getByTestId('push-failure');
  await textBecomes(failure, '"Incident 42" cannot be the name of an index');
  await sheet.getByTestId('push-index').fill('incident-42');
  await sheet.getByTestId('push-look').click();
  await plan.waitFor();
  await failure.waitFor({ state: 'detached' });
  const shown = JSON.parse((await sheet.getByTestId('push-json').textContent()) ?? '');

  // The cluster takes two seconds' events, and is busy from then on.
  cluster.bulks = 2;
  await sheet.getByTestId('push-rate').fill('1000');
  await start.click();
  await eventually('requests that are sent again', async () => {
    const sent = await sheet.getByTestId('push-sent').innerText();
    const again = await sheet.getByTestId('push-again').innerText();
    return sent === '2,000 of 4,000 events' && !again.includes('0 requests');
  });
  expect(cluster.template, 'the template that was shown').toEqual(shown);
  await pictures(page, 'push-running');
  expect(await seriousFindings(page)).toEqual([]);

  // It continues while the sheet is closed, until somebody stops it.
  await page.keyboard.press('Escape');
  await sheet.waitFor({ state: 'detached' });
  await textBecomes(page.getByTestId('push-status'), 'Pushing 50%');
  await page.getByTestId('push-show').click();
  await sheet.getByTestId('push-stop').click();
  await textBecomes(failure, '2000 of 4000 documents are there');
  await sheet.getByTestId('push-resumes').waitFor();
  await textBecomes(start, /^Push 2,000 events$/);
  await pictures(page, 'push-stopped');

  cluster.bulks = Infinity;
  await sheet.getByTestId('push-rate').fill('');
  await start.click();
  const report = sheet.getByTestId('push-report');
  await attributeBecomes(report, 'data-different', '0');
  await expect.poll(() => sheet.getByTestId('push-created').innerText()).toBe('2,000');
  await expect.poll(() => sheet.getByTestId('push-skipped').innerText()).toBe('2,000');
  await expect.poll(() => sheet.getByTestId('push-hours').innerText()).toContain('All 4 hours');
  await expect.poll(() => sheet.getByTestId('push-hour').count()).toBe(4);
  await expect.poll(() => start.isDisabled(), { message: 'all of it is sent' }).toBe(true);
  await pictures(page, 'push-done');
  expect(await seriousFindings(page)).toEqual([]);

  const saving = page.waitForEvent('download');
  await sheet.getByTestId('push-file').click();
  const file = join(temporaryFolder(), 'bulk.ndjson');
  await (await saving).saveAs(file);
  const written = readFileSync(file, 'utf8').trimEnd().split('\n');
  expect(written.length).toBe(2 * MATCHING);
  expect(JSON.parse(written[0]!).create._index).toBe('incident-42');
  await page.getByTestId('confirmation').waitFor();
});

test('a reload in any state of a push sends nothing twice, and the next push continues', async () => {
  cluster = await standIn([]);
  const log = join(temporaryFolder(), 'shop.ndjson');
  const lines = Array.from({ length: EVENTS }, (_, at) => JSON.stringify(document(at)));
  writeFileSync(log, lines.join('\n'));
  const page = await opened([log]);
  await totalBecomes(page, EVENTS);
  await inPalette(page, 'Show the clusters');
  await page.keyboard.press('Enter');
  const remotes = page.getByTestId('remotes-sheet');
  await remotes.getByTestId('remote-name').fill('prod');
  await remotes.getByTestId('remote-url').fill(cluster.url);
  await remotes.getByTestId('remote-index').fill('logs-*');
  await remotes.getByTestId('add-remote').click();
  await remotes.getByTestId('remote').waitFor();

  const sheet = page.getByTestId('push-sheet');
  const start = sheet.getByTestId('push-start');
  /** Reloads the page, and opens the sheet again with what is left to send. */
  const reloaded = async (left: string) => {
    await page.reload();
    await totalBecomes(page, EVENTS);
    await expect.poll(() => sheet.count()).toBe(0);
    await inPalette(page, 'Push the matching');
    await page.keyboard.press('Enter');
    await sheet.getByTestId('push-plan').waitFor();
    await textBecomes(start, new RegExp(`^Push ${left} events$`));
  };
  /** Sends so many events; then the cluster is busy. */
  const sends = async (bulks: number, sent: string) => {
    cluster!.bulks = bulks;
    await sheet.getByTestId('push-rate').fill('1000');
    await start.click();
    await expect.poll(() => sheet.getByTestId('push-sent').innerText()).toBe(sent);
  };

  // Before anything was chosen, and with a plan on the screen.
  await reloaded('6,000');
  await reloaded('6,000');
  expect(cluster.asked, 'a dry run connects to nothing').toEqual([]);
  // While it runs: it ends with the page.
  await sends(2, '2,000 of 6,000 events');
  await reloaded('4,000');
  // After a person has stopped it.
  await sends(1, '3,000 of 6,000 events');
  await sheet.getByTestId('push-stop').click();
  await textBecomes(sheet.getByTestId('push-failure'), '3000 of 6000 documents are there');
  await reloaded('3,000');
  cluster.bulks = Infinity;
  await start.click();
  await attributeBecomes(sheet.getByTestId('push-report'), 'data-different', '0');
  await expect.poll(() => sheet.getByTestId('push-created').innerText()).toBe('3,000');
  // After it has ended: each document is there once.
  await reloaded('6,000');
  await start.click();
  await attributeBecomes(sheet.getByTestId('push-report'), 'data-different', '0');
  await expect.poll(() => sheet.getByTestId('push-created').innerText()).toBe('0');
});
