/** Star the evidence, write a page, export it, and find it all in the case when it is opened again. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { seriousFindings } from './support/accessible';
import { access, accessLog } from './support/logs';
import { eventually, out, temporaryFolder, timberline } from './support/machine';
import {
  brush,
  exported,
  fewerThan,
  listBecomes,
  openBrowser,
  query,
  restingBox,
  textBecomes,
  totalBecomes,
} from './support/page';
import { picture, pictures } from './support/picture';
import { serve, type Server } from './support/server';

let browser: Browser;
let server: Server;
const contexts: BrowserContext[] = [];

beforeAll(async () => {
  browser = await openBrowser();
  server = await serve([accessLog()]);
});

afterAll(async () => {
  await browser.close();
  await server.stop();
});

afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
});

async function newPage(address: string, colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    colorScheme,
    timezoneId: 'UTC',
    acceptDownloads: true,
  });
  contexts.push(context);
  const page = await context.newPage();
  await page.goto(address);
  await listBecomes(page, access.lines);
  return page;
}

const caseFolder = () => {
  const folder = join(server.home, 'cases');
  return join(folder, readdirSync(folder)[0]!);
};

/** Selects text with the mouse and releases it outside the dialog. */
async function dragOutside(page: Page, field: Locator): Promise<void> {
  const box = await restingBox(field);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(2, 2, { steps: 3 });
  await page.mouse.up();
}

const PAGE = `# What happened

A checkout failed.

\`\`\`query title="By answer"
* | stats count() as requests by status | sort -requests
\`\`\`

\`\`\`chart
status:500
\`\`\`
`;

test('a page is deleted by its bin, after a question', async () => {
  const page = await newPage(server.address);
  await page.getByTestId('tab-notes').click();
  await page.getByTestId('new-page').click();
  await page.getByTestId('page-title').fill('A draft');
  const draft = page.getByTestId('page').filter({ hasText: 'A draft' });
  await draft.waitFor();
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  await press('Delete page');
  await press('Cancel');
  await expect.poll(() => draft.count()).toBe(1);
  await press('Delete page');
  await press('Delete permanently');
  await draft.waitFor({ state: 'detached' });
});

test('a cell is inserted between blocks, and typing in one leaves the others', async () => {
  const page = await newPage(server.address);
  await page.locator('[data-testid="row"]').first().click();
  await page.getByTestId('detail').waitFor();
  await page.getByTestId('tab-notes').click();
  await page.getByTestId('new-page').click();
  await page.getByTestId('page-title').fill('Blocks');
  // Without a click into the page, and with the caret in a cell.
  const insert = page.getByRole('group', { name: 'Insert a cell' });
  await insert.getByRole('button', { name: 'Event' }).click();
  await insert.getByRole('button', { name: 'Chart' }).click();
  await insert.getByRole('button', { name: 'Query' }).click();
  const cells = page.getByTestId('page-cell');
  const kinds = async () =>
    (await cells.allInnerTexts()).map((text) => /^```(\w+)/.exec(text)?.[1]);
  await expect.poll(kinds).toEqual(['event', 'chart', 'query']);
  const before = await cells.allInnerTexts();
  // The keyboard leads from block to block.
  await cells.first().click();
  await page.keyboard.press('ControlOrMeta+Home');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.type('```');
  await expect.poll(() => page.getByTestId('page-text').first().innerText()).toBe('```');
  expect(await cells.allInnerTexts()).toEqual(before);
  await expect.poll(() => page.getByTestId('cell').count()).toBe(3);
  expect(await seriousFindings(page)).toEqual([]);
  await pictures(page, 'notebook-blocks');
});

/** How high the coloured parts of a picture are in each of 40 columns, from the first to the last, in shares of the highest. */
async function profile(empty: Page, shown: Locator): Promise<number[]> {
  const png = (await shown.screenshot()).toString('base64');
  return empty.evaluate(async (bytes) => {
    const image = new Image();
    image.src = `data:image/png;base64,${bytes}`;
    await image.decode();
    const { width, height } = image;
    const canvas = new OffscreenCanvas(width, height).getContext('2d')!;
    canvas.drawImage(image, 0, 0);
    const { data } = canvas.getImageData(0, 0, width, height);
    const isColoured = (x: number, y: number) => {
      const at = 4 * (y * width + x);
      const [red = 0, green = 0, blue = 0] = data.slice(at, at + 3);
      return Math.max(red, green, blue) - Math.min(red, green, blue) > 60;
    };
    const rows = Array.from({ length: height }, (_, y) => y);
    const columns = Array.from(
      { length: width },
      (_, x) => rows.filter((y) => isColoured(x, y)).length,
    );
    const last = columns.findLastIndex((count) => count > 0);
    const drawn = columns.slice(
      columns.findIndex((count) => count > 0),
      last + 1,
    );
    const size = drawn.length / 40;
    const parts = Array.from({ length: 40 }, (_, at) =>
      Math.max(...drawn.slice(Math.floor(at * size), Math.floor((at + 1) * size))),
    );
    return parts.map((part) => part / Math.max(...parts));
  }, png);
}

test('an exported page shows what the screen shows', async () => {
  const page = await newPage(server.address);
  await page.getByTestId('tab-notes').click();
  await page.getByTestId('new-page').click();
  await page.getByTestId('page-title').fill('For the report');
  await page.getByTestId('page-text').click();
  // Most bins have one of them, and some have ten.
  const [table, chart] = ['* | stats count() as n by status | sort -n', 'path:*9*'];
  await page.keyboard.insertText(
    `\`\`\`query title="Answers"\n${table}\n\`\`\`\n\n\`\`\`chart title="Nines"\n${chart}\n\`\`\`\n`,
  );
  const cells = page.locator('[data-testid="cell"][data-answered="true"]');
  await eventually('two cells with answers', async () => (await cells.count()) === 2);
  // Neither the screen nor the report loads pictures.
  const empty = await page.context().newPage();
  const here = await profile(empty, cells.nth(1).getByTestId('cell-chart'));
  await page.bringToFront();
  const html = await exported(page, 'html');
  const report = await page.context().newPage();
  await report.setContent(html);
  await report.getByRole('heading', { name: 'For the report' }).waitFor();
  const figures = report.locator('figure');
  for (const title of ['Answers', 'Nines'])
    await figures.filter({ hasText: title }).first().waitFor();
  const rows = (shown: Locator) =>
    shown
      .locator('tr')
      .evaluateAll((lines) => lines.map((line) => line.textContent?.match(/\S+/g)));
  expect(await rows(figures.filter({ hasText: 'Answers' }))).toEqual(await rows(cells.first()));

  const there = await profile(empty, figures.filter({ hasText: 'Nines' }).locator('svg'));
  // Where bars meet, a column of one picture may have the higher bar, and the next column of the other.
  const near = (height: number, others: number[], at: number) => {
    const there = others.slice(Math.max(0, at - 1), at + 2);
    return Math.min(...there) - 0.05 < height && height < Math.max(...there) + 0.05;
  };
  const isSame = (one: number[], other: number[]) =>
    one.every((height, at) => near(height, other, at));
  expect(isSame(here, there) && isSame(there, here), JSON.stringify({ here, there })).toBe(true);
});

describe('notes', () => {
  test('are starred, tagged, written down, exported, and there when opened again', async () => {
    const page = await newPage(server.address);
    await query(page, 'checkout');
    await listBecomes(page, access.checkouts);
    await page.locator('[data-testid="row"]').first().click();
    await page.getByTestId('detail').waitFor();
    await page.getByTestId('detail-tab-raw').click();
    const text = await page.getByTestId('detail-raw').innerText();

    await page.keyboard.press('s');
    await page.locator('[data-testid="star"][aria-pressed="true"]').waitFor();
    await page.keyboard.press('t');
    await page.getByTestId('note-prompt').getByRole('combobox').fill('cause');
    await page.keyboard.press('Enter');
    await page.getByTestId('note-prompt').waitFor({ state: 'detached' });
    await page.getByTestId('event-notes').getByText('cause').waitFor();
    await page.locator('[data-testid="row"]').first().getByText('★').waitFor();
    await page.keyboard.press('m');
    await page.getByTestId('note-prompt').getByRole('textbox').fill('first failure');
    expect(await seriousFindings(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByTestId('note-prompt').waitFor({ state: 'detached' });
    await pictures(page, 'annotations');

    await page.getByTestId('tab-notes').click();
    await page.getByTestId('annotation').filter({ hasText: 'cause' }).waitFor();
    await page.getByTestId('annotation').filter({ hasText: 'first failure' }).waitFor();
    await page.getByTestId('new-page').click();
    await page.getByTestId('page-title').fill('The failures');
    await page.getByTestId('page-text').click();
    await page.keyboard.insertText(PAGE);
    const answered = page.locator('[data-testid="cell"][data-answered="true"]');
    await eventually('two cells with answers', async () => (await answered.count()) === 2);
    await textBecomes(answered.first(), String(access.checkouts));
    await page.locator('[data-testid="page-state"]', { hasText: /^saved$/ }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await picture(page, 'notebook');

    const html = await exported(page, 'html');
    const hash = /[0-9a-f]{64}/.exec(html)?.[0] ?? 'no hash';
    expect(html).not.toContain('<script');
    for (const wanted of [
      'What happened',
      '<svg',
      '★',
      'cause',
      'first failure',
      '/checkout',
      hash,
    ])
      expect(html).toContain(wanted);
    const markdown = await exported(page, 'markdown');
    expect(markdown).toContain('```query title="By answer"');
    expect(markdown).toContain(text.split('"')[1]);

    // A server that is started later finds it all in the case, and each sees the changes of the
    // other.
    const later = await serve([caseFolder()]);
    try {
      const other = await newPage(later.address, 'dark');
      await other.getByTestId('tab-notes').click();
      await other.getByTestId('page').filter({ hasText: 'The failures' }).waitFor();
      await other.getByTestId('annotation').filter({ hasText: 'first failure' }).waitFor();
      await other.locator('[data-testid="cell"][data-answered="true"]').first().waitFor();
      expect(await seriousFindings(other)).toEqual([]);
      await picture(other, 'notebook-dark');
      await other.getByTestId('annotation').filter({ hasText: 'cause' }).click();
      await other.getByTestId('detail-tab-raw').click();
      await eventually('its text', async () => {
        return (await other.getByTestId('detail-raw').innerText()) === text;
      });
      await other.getByTestId('star').click();
      await other.locator('[data-testid="star"][aria-pressed="false"]').waitFor();
      const unstarred = page
        .getByTestId('annotation')
        .filter({ hasText: 'cause', hasNotText: '★' });
      await unstarred.waitFor();
    } finally {
      await later.stop();
    }
    const file = join(out, 'notes.md');
    execFileSync(timberline, ['export', caseFolder(), '--notes', file]);
    expect(readFileSync(file, 'utf8')).toContain('# What happened');
  });

  test('are edited, removed and restored, on an event and on a range', async () => {
    const page = await newPage(server.address);
    const prompt = page.getByTestId('note-prompt');
    const write = async (text: string) => {
      await prompt.getByRole('textbox').or(prompt.getByRole('combobox')).fill(text);
      await prompt.getByRole('button', { name: 'Save' }).click();
      await prompt.waitFor({ state: 'detached' });
    };
    await page.locator('[data-testid="row"]').nth(3).click();
    await page.getByTestId('detail').waitFor();
    await page.keyboard.press('c');
    await prompt.getByRole('textbox').fill('a thought that is selected');
    await dragOutside(page, prompt.getByRole('textbox'));
    await expect
      .poll(() => prompt.getByRole('textbox').inputValue())
      .toBe('a thought that is selected');
    await write('a first thought');
    const comment = page.getByTestId('event-notes').getByTestId('comment');
    await comment.filter({ hasText: 'a first thought' }).waitFor();
    await page.getByTestId('comment-edit').click();
    await expect.poll(() => prompt.getByRole('textbox').inputValue()).toBe('a first thought');
    await write('a better thought');
    await comment.filter({ hasText: 'a better thought' }).waitFor();
    await expect.poll(() => comment.count()).toBe(1);

    await page.getByTestId('comment-remove').click();
    await comment.waitFor({ state: 'detached' });
    await page.getByTestId('note-removed').filter({ hasText: 'a better thought' }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await pictures(page, 'note-removed');
    await page.getByTestId('note-back').click();
    await comment.filter({ hasText: 'a better thought' }).waitFor();
    await page.getByTestId('note-removed').waitFor({ state: 'detached' });
    await page.getByTestId('comment-remove').click();
    await comment.waitFor({ state: 'detached' });
    await page.keyboard.press('ControlOrMeta+Z');
    await comment.filter({ hasText: 'a better thought' }).waitFor();
    await page.keyboard.press('ControlOrMeta+Shift+Z');
    await comment.waitFor({ state: 'detached' });
    await page.getByTestId('undo').click();
    await comment.filter({ hasText: 'a better thought' }).waitFor();
    // A text that is being written has undo of its own.
    await page.keyboard.press('t');
    await prompt.getByRole('combobox').pressSequentially('word');
    await page.keyboard.press('ControlOrMeta+Z');
    await expect.poll(() => prompt.getByRole('combobox').inputValue()).not.toBe('word');
    await page.keyboard.press('Escape');
    await prompt.waitFor({ state: 'detached' });
    await expect.poll(() => comment.count()).toBe(1);

    await brush(page, 0.4, 0.6);
    const narrowed = await fewerThan(page, access.lines);
    const onRange = async (what: string) => {
      await page.getByTestId('range-notes').click();
      await page.getByTestId(`range-notes-${what}`).click();
    };
    await onRange('star');
    await onRange('comment');
    await write('the outage');
    await onRange('tag');
    await write('slow');
    await page.getByTestId('range-clear').click();
    await totalBecomes(page, access.lines);
    await page.getByRole('button', { name: /^Marker ★ · slow · the outage/ }).waitFor();
    await page.getByTestId('tab-notes').click();
    const range = page.getByRole('listitem').filter({ hasText: 'the outage' });
    await range.getByTestId('annotation').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await pictures(page, 'annotations-range');
    await range.getByTestId('comment-edit').click();
    await write('the outage of the cart');
    await range.getByText('the outage of the cart').waitFor();
    await range.getByTestId('annotation').click();
    await totalBecomes(page, narrowed);
  });
});

test('a page of a case from elsewhere reads a file once a person trusts the case', async () => {
  const owners = join(temporaryFolder(), 'owners.csv');
  writeFileSync(owners, 'status,owner\n500,Ann\n');
  const cell = `\`\`\`query\n* | lookup "${owners}" on status | stats count() by owner\n\`\`\``;
  const sender = await newPage(server.address);
  await sender.getByTestId('tab-notes').click();
  await sender.getByTestId('new-page').click();
  await sender.getByTestId('page-title').fill('Whose failures');
  await sender.getByTestId('page-text').click();
  await sender.keyboard.insertText(cell);
  // Its own workbench made the case.
  await sender.getByTestId('cell').getByText('Ann').waitFor();
  await sender.locator('[data-testid="page-state"]', { hasText: /^saved$/ }).waitFor();

  const receiver = await serve([caseFolder()]);
  try {
    const page = await newPage(receiver.address);
    await page.getByTestId('tab-notes').click();
    await page.getByTestId('page').filter({ hasText: 'Whose failures' }).click();
    const shown = page.getByTestId('cell').filter({ hasText: 'owners.csv' });
    await shown.getByTestId('problem').filter({ hasText: 'not trusted' }).waitFor();
    await expect.poll(() => shown.getByText('Ann').count()).toBe(0);
    expect(await seriousFindings(page)).toEqual([]);
    await pictures(page, 'case-not-trusted');
    await shown.getByTestId('trust-case').focus();
    await page.keyboard.press('Enter');
    await shown.getByText('Ann').waitFor();
    await expect.poll(() => shown.getByTestId('problem').count()).toBe(0);
  } finally {
    await receiver.stop();
  }
});
