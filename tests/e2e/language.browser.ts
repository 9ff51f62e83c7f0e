/** What the language says about a query besides its events: how it is answered, and words that were perhaps meant. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { seriousFindings } from './support/accessible';
import { access, accessLog } from './support/logs';
import { eventually } from './support/machine';
import { opening } from './support/opening';
import { inPalette, query, textBecomes, totalBecomes } from './support/page';
import { pictures } from './support/picture';

const opened = opening();

/** With all words indexed. */
async function open(): Promise<Page> {
  const page = await opened([accessLog()]);
  await totalBecomes(page, access.lines);
  await page.locator('[data-testid="import-panel"][data-active="false"]').waitFor();
  return page;
}

const explained = (page: Page) => page.getByTestId('explained');
const clauses = (page: Page) => page.getByTestId('explained-clause');

async function clausesBecome(page: Page, wanted: RegExp[]): Promise<void> {
  await eventually(`clauses like ${wanted.join(' and ')}`, async () => {
    const rows = (await clauses(page).allInnerTexts()).map((row) => row.replace(/\s+/g, ' '));
    return rows.length === wanted.length && wanted.every((row, at) => row.test(rows[at]!));
  });
}

test('a query is explained clause by clause, from its row and from the palette', async () => {
  const page = await open();
  await query(page, 'chec* status!=404');
  await totalBecomes(page, access.checkouts);
  await page.getByTestId('explain').click();
  await clauses(page).first().waitFor();
  const { lines, checkouts } = access;
  const wildcard = new RegExp(`chec\\* Words: checkout text index.* ${checkouts} of ${lines} `);
  await clausesBecome(page, [/status!=404 .*values/, wildcard]);
  await textBecomes(explained(page), `${checkouts} of ${lines} events match.`);
  expect(await seriousFindings(page)).toEqual([]);
  await pictures(page, 'explain');
  await page.keyboard.press('Escape');
  await explained(page).waitFor({ state: 'detached' });

  await query(page, 'checkout | stats count() by status');
  await page.getByTestId('result').waitFor();
  await inPalette(page, 'Explain this query');
  await page.keyboard.press('Enter');
  await clausesBecome(page, [/^checkout .*text index/]);
  await textBecomes(explained(page), 'calculated by kernels');
  await page.keyboard.press('Escape');
  await explained(page).waitFor({ state: 'detached' });
});

test('a word that no event has is named wherever nothing matches, with the one that was meant', async () => {
  const page = await open();
  const meant = (place: string) =>
    page.locator(`${place} [data-testid="unknown-word"]`).getByRole('button');
  const isNamedIn = (place: string) =>
    textBecomes(meant(place), new RegExp(`^checkout ${access.checkouts} events$`));
  await query(page, 'chekout');
  await totalBecomes(page, 0);
  await isNamedIn('[data-testid="nothing"]');
  await isNamedIn('[data-testid="timeline"]');
  expect(await seriousFindings(page)).toEqual([]);
  await pictures(page, 'did-you-mean');
  await page.getByTestId('tab-charts').click();
  await isNamedIn('[data-testid="chart-message"]');
  await pictures(page, 'did-you-mean-chart');
  await page.getByTestId('tab-patterns').click();
  await isNamedIn('[data-testid="patterns"]');

  await query(page, 'chekout | stats count() by status');
  await isNamedIn('[data-testid="result-nothing"]');
  await pictures(page, 'did-you-mean-result');
  await meant('[data-testid="timeline"]').click();
  await totalBecomes(page, access.checkouts);
  await page.locator('[data-testid="result"][data-total="1"]').waitFor();
  await expect
    .poll(() => page.getByTestId('query').innerText())
    .toBe('checkout | stats count() by status');
});
