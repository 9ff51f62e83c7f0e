/** The clicks of the most frequent tasks, each in a new case, compared with the table of docs/clicks.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Locator, Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';

import { root } from '../../scripts/paths.mjs';
import { figure, temporaryFolder } from './support/machine';
import { opening } from './support/opening';
import { brush, fewerThan, listBecomes, pointAt, textBecomes, totalBecomes } from './support/page';

const open = opening();

const MINUTES = 60;
const SPIKE = 40;
const PER_MINUTE = 6;
const ERRORS = 60;
const SERVICES = ['web', 'shop', 'pay'];

/** Two files of an hour, with a minute of errors in one of them. */
function shopLogs(): { folder: string; events: number } {
  const folder = temporaryFolder();
  let events = 0;
  const line = (minute: number, at: number, isError: boolean) => {
    events += 1;
    return JSON.stringify({
      time: new Date(Date.UTC(2026, 2, 1, 14, minute) + at * 900).toISOString(),
      level: isError ? 'error' : 'info',
      status: isError ? 502 : [200, 200, 404][at % 3],
      service: SERVICES[at % 3],
      duration_ms: 20 + at,
      trace_id: `trace-${minute}-${at}`,
      message: isError ? 'the bank did not answer' : 'answered',
    });
  };
  for (const file of ['east', 'west']) {
    const lines = Array.from({ length: MINUTES }, (_, minute) => {
      const isSpike = file === 'east' && minute === SPIKE;
      const usual = Array.from({ length: PER_MINUTE }, (_, at) => line(minute, at, false));
      const errors = Array.from({ length: isSpike ? ERRORS : 0 }, (_, at) =>
        line(minute, at, true),
      );
      return [...usual, ...errors];
    });
    writeFileSync(join(folder, `${file}.jsonl`), `${lines.flat().join('\n')}\n`);
  }
  return { folder, events };
}

/** A page that counts its clicks. A drag counts as one. */
class Hand {
  clicks = 0;

  constructor(readonly page: Page) {}

  async click(target: Locator): Promise<void> {
    this.clicks += 1;
    await target.click();
  }

  /** Clicks on a tool of a value in the text of the first event. */
  async tool(action: string, value: string): Promise<void> {
    await pointAt(this.page, this.page.locator('[data-testid="row"][data-index="0"]'), value);
    await this.click(this.page.getByTestId('value-tools').locator(`[data-action="${action}"]`));
  }

  async drag(from: number, to: number): Promise<void> {
    this.clicks += 1;
    await brush(this.page, from, to);
  }

  query(wanted: RegExp): Promise<void> {
    return textBecomes(this.page.getByTestId('query'), wanted);
  }
}

const TASKS: Record<string, (hand: Hand, events: number) => Promise<void>> = {
  'Filter for a value in the list': async (hand) => {
    await hand.tool('only', '200');
    await hand.query(/^status=200$/);
  },
  'Filter out a value in the list': async (hand) => {
    await hand.tool('without', '200');
    await hand.query(/^NOT status=200$/);
  },
  'Show one file': async (hand, events) => {
    const west = hand.page.locator('[data-testid="file"][data-file$="west.jsonl"]');
    await west.hover();
    await hand.click(west.getByTestId('only'));
    await totalBecomes(hand.page, (events - ERRORS) / 2);
  },
  'Filter for two values of a field': async (hand) => {
    const status = hand.page.locator('[data-testid="known-field"][data-name="status"]');
    for (const value of ['404', '502']) {
      const row = status.locator(`[data-testid="top-value"][data-value="${value}"]`);
      await hand.click(row.getByTestId('include'));
    }
    await hand.query(/^status:\(404 OR 502\)$/);
  },
  'Follow an id through all sources': async (hand) => {
    await hand.tool('follow', 'trace-0-0');
    await hand.page.getByTestId('follow-tab').waitFor();
  },
  'Add a column': async (hand) => {
    const service = hand.page.locator('[data-testid="known-field"][data-name="service"]');
    await service.hover();
    await hand.click(service.getByTestId('field-column'));
    await hand.page.locator('[data-column="service"]').waitFor();
  },
  'Chart p95 of a duration by service': async (hand) => {
    await hand.click(hand.page.getByTestId('tab-charts'));
    const label = 'p95 of duration_ms by service';
    await hand.click(hand.page.getByTestId('chart-suggestion').filter({ hasText: label }));
    for (const name of SERVICES) await hand.page.getByTestId('legend').getByText(name).waitFor();
  },
  'Zoom to a spike of errors': async (hand, events) => {
    await hand.drag(SPIKE / MINUTES - 0.01, SPIKE / MINUTES + 0.03);
    await fewerThan(hand.page, events);
  },
  'Compare a spike with the time before it': async (hand) => {
    await hand.click(hand.page.getByTestId('first-look-spike'));
    const rows = hand.page.getByTestId('difference-row');
    await rows.filter({ hasText: 'the bank did not answer' }).first().waitFor();
  },
  'Write a report as a file': async (hand) => {
    await hand.click(hand.page.getByTestId('tab-notes'));
    const download = hand.page.waitForEvent('download');
    await hand.click(hand.page.getByTestId('export-html'));
    expect((await download).suggestedFilename()).toMatch(/\.html$/);
  },
};

/** The rows of the table: the task, the clicks in Timberline and in Discover. */
const documented = readFileSync(join(root, 'docs', 'clicks.md'), 'utf8')
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter((cells) => /^\d+$/.test(cells[2] ?? ''))
  .map(([, task, clicks, discover]) => ({ task, clicks: Number(clicks), discover }));

const counted: string[] = [];
afterAll(() => counted.forEach(figure));

test('the table of clicks has every task', () =>
  expect(documented.map(({ task }) => task)).toEqual(Object.keys(TASKS)));

test.each(documented)('$task: $clicks', async ({ task, clicks, discover }) => {
  const { folder, events } = shopLogs();
  const page = await open([folder]);
  await listBecomes(page, events);
  // A list that is still growing moves.
  await page
    .locator('[data-testid="import-panel"][data-active="true"]')
    .waitFor({ state: 'detached' });
  await page.getByTestId('first-look-spike').waitFor();
  const hand = new Hand(page);
  await TASKS[task!]!(hand, events);
  counted.push(`Clicks: ${task}: ${hand.clicks}; in Kibana Discover: ${discover}`);
  expect(hand.clicks).toBe(clicks);
  expect(hand.clicks).toBeLessThanOrEqual(Number.parseInt(discover!, 10));
});
