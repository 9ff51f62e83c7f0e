/** What concerns a whole case: its first look, its files, its language, and the list at any size, in a browser. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Download, Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { seriousFindings } from './support/accessible';
import { access, accessLog, sample } from './support/logs';
import { eventually, temporaryFolder } from './support/machine';
import { opening } from './support/opening';
import {
  brush,
  fewerThan,
  inPalette,
  listBecomes,
  query,
  textBecomes,
  totalBecomes,
  wholeRows,
} from './support/page';
import { mainPictures, pictures } from './support/picture';

const open = opening();

async function read(page: Page, events: number): Promise<void> {
  await totalBecomes(page, events);
  await page.locator('[data-testid="import-panel"][data-active="false"]').waitFor();
}

async function openSample(colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
  const page = await open([], colorScheme);
  await page.getByTestId('load-sample').click();
  await read(page, sample.events);
  return page;
}

const row = (page: Page, index: number) =>
  page.locator(`[data-testid="row"][data-index="${index}"]`);

async function saved(page: Page, click: () => Promise<void>): Promise<Buffer> {
  const [download] = (await Promise.all([page.waitForEvent('download'), click()])) as [
    Download,
    void,
  ];
  return readFileSync(await download.path());
}

function caseAction(page: Page, action: string): Promise<void> {
  return page
    .getByTestId('case-menu')
    .click()
    .then(() => page.getByTestId(`case-menu-${action}`).click());
}

test('a new case says how much it has, when, and what the spike is, each a click', async () => {
  const page = await openSample();
  const look = page.getByTestId('first-look');
  await page.getByTestId('first-look-patterns').waitFor();
  await textBecomes(
    look,
    /2,938 events · 13:00–15:00 · spike at 14:05 ?: 326 errors ?, 4 patterns new/,
  );
  expect(await seriousFindings(page)).toEqual([]);

  await page.getByTestId('first-look-patterns').click();
  await eventually(
    'four new patterns',
    async () => (await page.getByTestId('pattern').count()) === 4,
  );
  await page.getByTestId('back').click();
  await page.getByTestId('tab-events').click();
  await page.getByTestId('first-look-errors').click();
  await listBecomes(page, 326);
  // A level is a letter, which is explained where the pointer rests.
  const level = row(page, 0).locator('.level');
  await textBecomes(level.locator('[aria-hidden]'), /^[EF]$/);
  await expect
    .poll(() => level.locator('[title]').getAttribute('title'))
    .toMatch(/^(Error|Fatal)$/);

  // It is a first look: the next opening shows the case as it was left.
  await caseAction(page, 'close');
  await page.getByTestId('recent').locator('.open').click();
  await page.getByTestId('events').waitFor();
  await expect.poll(() => look.count()).toBe(0);
});

test('live sources, clusters, pushing and configurations are in one menu, and in the palette', async () => {
  const page = await openSample();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const items = page.getByRole('menu').getByRole('menuitem');
  await page.getByTestId('connect').click();
  await expect
    .poll(() => items.allInnerTexts())
    .toEqual([
      'Add live source…',
      'Clusters…',
      'Show with a cluster…',
      'Push to a cluster…',
      'Copy command for configurations',
      'Copy command for import plan',
    ]);
  expect(await seriousFindings(page)).toEqual([]);
  await items.filter({ hasText: 'configurations' }).click();
  await page.getByText('Copied timberline configs').waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toMatch(/^timberline configs .*\.case'? --to configs$/);
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute('data-testid')))
    .toBe('connect');
  for (const [typed, opens] of [
    ['Add a live source', 'live-sheet'],
    ['Show the clusters', 'remotes-sheet'],
    ['Push the matching', 'push-sheet'],
  ] as const) {
    await inPalette(page, typed);
    await page.keyboard.press('Enter');
    await page.getByTestId(opens).waitFor();
    await page.keyboard.press('Escape');
    await page.getByTestId(opens).waitFor({ state: 'detached' });
  }
});

test('the events of a spike without errors are a click too', async () => {
  const line = (second: number, word: string) =>
    `${new Date(Date.UTC(2026, 2, 1, 14) + second * 1_000).toISOString()} INFO ${word}\n`;
  const lines = Array.from({ length: 360 }, (_, at) => line(at * 5, 'usual')).concat(
    Array.from({ length: 60 }, () => line(905, 'at once')),
  );
  const path = join(temporaryFolder(), 'spike.log');
  writeFileSync(path, lines.join(''));
  const page = await open([path]);
  await read(page, lines.length);
  const events = page.getByTestId('first-look-events');
  const count = Number.parseInt(await events.innerText(), 10);
  expect(count).toBeGreaterThan(60);
  await events.click();
  await totalBecomes(page, count);
});

test('a time range shows what differs in it, and each difference is a filter', async () => {
  const page = await openSample('dark');
  await page.getByTestId('first-look-spike').click();
  const rows = page.getByTestId('difference-row');
  await rows.first().waitFor();
  await page.locator('[data-testid="difference"][aria-busy="false"]').waitFor();
  await expect.poll(() => rows.count()).toBe(5);
  await expect.poll(() => page.getByTestId('difference-more').innerText()).toMatch(/^\d+ more…$/);
  await expect.poll(() => rows.first().innerText()).toMatch(/no database connection.*\s+only here/);
  await expect
    .poll(() => rows.first().getAttribute('title'))
    .toMatch(/(Occurs with it in|(The|Nearly the) same events)\b.*: /);
  expect(await seriousFindings(page)).toEqual([]);
  await rows.first().click();
  await totalBecomes(page, 110);
  await page.getByTestId('hide-difference').click();
  await page.getByTestId('difference').waitFor({ state: 'detached' });
  await inPalette(page, 'show what differs');
  await page.keyboard.press('Enter');
  await page.getByTestId('difference').waitFor();
  const nothing = page.getByTestId('no-difference');
  await query(page, 'nosuchword');
  await nothing.getByText('No matching events in this range').waitFor();
});

test('the fields of a chart are searched where there are many', async () => {
  const names = Array.from({ length: 25 }, (_, at) => `field_${at}`);
  const lines = Array.from({ length: 12 }, (_, at) => {
    const time = `2026-03-01T14:05:${String(at + 10)}Z`;
    const fields = Object.fromEntries(
      names.map((name, index) => [name, `${name} ${at % (index + 1)}`]),
    );
    return `${JSON.stringify({ time, level: 'info', duration_ms: at * 7, ...fields })}\n`;
  });
  const path = join(temporaryFolder(), 'wide.jsonl');
  writeFileSync(path, lines.join(''));
  const page = await open([path]);
  await totalBecomes(page, lines.length);
  await page.getByTestId('tab-charts').click();
  const field = page.getByTestId('chart-field');
  await field.click();
  await page.getByTestId('chart-field-search').fill('tion');
  expect(await seriousFindings(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.locator('[data-testid="chart"][data-shape="heat"][data-busy="false"]').waitFor();
  await expect.poll(() => field.innerText()).toContain('duration_ms');

  // Most events have the first ones, whatever their type.
  await page.getByTestId('chart-split').click();
  const offered = page.getByRole('menu').getByRole('menuitem');
  expect((await offered.allInnerTexts()).slice(0, 3).map((text) => text.split('\n')[0])).toEqual([
    'none',
    'level',
    'source',
  ]);
});

test('patterns of a range are compared with a chosen one', async () => {
  const page = await openSample();
  const spike = page.getByTestId('first-look-spike');
  await spike.click();
  await page.getByTestId('tab-patterns').click();
  await page.getByTestId('contrast-new').click();
  const tags = page.getByTestId('pattern').locator('.tag.new');
  await eventually('new patterns', async () => (await tags.count()) === 4);
  await page.getByTestId('baseline').selectOption('before');
  await eventually('new patterns', async () => (await tags.count()) >= 4);
  await page.getByTestId('take-baseline').click();
  await eventually('the spike as its own baseline', async () => {
    const chosen = await page.getByTestId('baseline').inputValue();
    return chosen === 'chosen' && (await tags.count()) > 4;
  });
});

test('the matching events are exported as tables and as they were written', async () => {
  const page = await open([accessLog()]);
  await read(page, access.lines);
  await query(page, 'status:500');
  await totalBecomes(page, access.checkouts);
  const exported = (format: string) =>
    saved(page, async () => {
      await page.getByTestId('export-events').click();
      await page.getByTestId(`export-events-${format}`).click();
    });
  const raw = (await exported('raw')).toString();
  expect(raw.trim().split('\n')).toHaveLength(access.checkouts);
  expect(raw).toMatch(/^192\.0\.2\.\d+ - - \[05\/Mar\/2024:14:00:18 \+0000\] "POST \/checkout/);
  const csv = (await exported('csv')).toString();
  expect(csv.trim().split('\n')).toHaveLength(access.checkouts + 1);
  const [first] = (await exported('ndjson')).toString().split('\n');
  expect(JSON.parse(first!)).toMatchObject({ status: 500, path: '/checkout' });
  expect((await exported('parquet')).subarray(0, 4).toString()).toBe('PAR1');
  await eventually('what was written', async () =>
    (await page.getByTestId('confirmation').innerText()).includes(`${access.checkouts} events`),
  );
});

test('an export shows its progress and is cancelled', async () => {
  const page = await open([accessLog()]);
  await read(page, access.lines);
  const cancelled = new Set<string>();
  await page.route('**/api/call', async (route) => {
    const body = route.request().postDataJSON() as {
      id: string;
      command: { command: string; args: { call: string } };
    };
    if (body.command.command === 'cancel') cancelled.add(body.command.args.call);
    // An export that takes until it is cancelled.
    if (body.command.command !== 'export') return route.continue();
    await eventually('the end of the export', () => cancelled.has(body.id));
    await route.fulfill({
      contentType: 'text/event-stream',
      body: 'event: error\ndata: {"code":"cancelled","message":"Cancelled."}\n\n',
    });
  });
  await inPalette(page, 'export csv');
  await page.keyboard.press('Enter');
  await page.getByTestId('exporting').waitFor();
  await page.getByTestId('cancel-export').click();
  await page.getByTestId('exporting').waitFor({ state: 'detached' });
  await expect.poll(() => page.getByTestId('confirmation').count()).toBe(0);
  await expect.poll(() => page.locator('.notice').count()).toBe(0);
});

test('F1 opens the reference of the language, whose examples go to the query bar', async () => {
  const page = await open([accessLog()]);
  await read(page, access.lines);
  await page.getByTestId('query').click();
  await page.keyboard.press('F1');
  await page.getByTestId('reference-entry').nth(150).waitFor({ state: 'attached' });
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByTestId('reference-search').fill('timechart');
  const use = page.getByTestId('reference-use').first();
  await textBecomes(use, /^timechart span=1h count by status$/);
  await use.click();
  await page.getByTestId('reference').waitFor({ state: 'detached' });
  await eventually('a query that continues with the stage', async () =>
    (await page.getByTestId('query').innerText()).includes('| timechart span=1h count by status'),
  );
});

test('the palette has help, zones, lanes, zoom and saved views', async () => {
  const page = await openSample();
  const first = page.getByTestId('palette').getByRole('option').first();
  const offers = async (text: string, name: string) => {
    await inPalette(page, text);
    await eventually(name, async () => (await first.innerText()).includes(name));
    await page.keyboard.press('Enter');
  };
  await inPalette(page, 'help');
  await eventually('help', async () => (await first.innerText()).startsWith('Help: '));
  await page.keyboard.press('Escape');
  await offers('lanes', 'Timeline: lanes');
  await page.locator('[data-testid="timeline"][data-laned="true"]').waitFor();
  await offers('zoom in on', 'Zoom in on the middle');
  await eventually(
    'a shorter range',
    async () =>
      (await page.getByTestId('total').getAttribute('data-value')) !== String(sample.events),
  );
  await query(page, 'level:error');
  await page.keyboard.press('Escape');
  await page.getByTestId('saved').click();
  await page.getByTestId('saved- save').click();
  await page.getByTestId('save-name').fill('only errors');
  await page.keyboard.press('Enter');
  await page.getByTestId('save-name').waitFor({ state: 'detached' });
  await query(page, 'level:info');
  await page.keyboard.press('Escape');
  await offers('only errors', 'Show saved view: only errors');
  await eventually('the saved view', async () =>
    (await page.getByTestId('query').innerText()).includes('level:error'),
  );
});

test('a key that comes while the palette closes is taken', async () => {
  const page = await openSample();
  await inPalette(page, 'nothing is called so');
  // Both in one task: the palette that closes has not said so yet.
  await page.evaluate(() => {
    document.querySelector<HTMLDialogElement>('[data-testid="palette"]')?.close();
    const key = { key: 'k', code: 'KeyK', ctrlKey: true, bubbles: true };
    (document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent('keydown', key));
  });
  await eventually('a palette with nothing written in it', async () => {
    const field = page.getByTestId('palette').getByRole('combobox');
    return (await field.count()) === 1 && (await field.inputValue()) === '';
  });
  await page.keyboard.press('Escape');
  await page.getByTestId('palette').waitFor({ state: 'detached' });
});

test('the palette has the zone of a source that was imported with the case open', async () => {
  const page = await open();
  const path = join(temporaryFolder(), 'tokyo.log');
  writeFileSync(path, '2026-03-01 14:05:07 INFO one\n');
  const dialog = page.waitForEvent('filechooser');
  await page.getByTestId('look-first').click();
  await (await dialog).setFiles([path]);
  await page.getByTestId('estimate').waitFor();
  await page.getByTestId('choose-zone').fill('Asia/Tokyo');
  await page.getByTestId('choose-zone').press('Tab');
  await eventually('its time', async () =>
    (await page.getByTestId('file-facts').innerText()).includes('05:05:07'),
  );
  await page.getByTestId('start-import').click();
  await read(page, 1);
  await textBecomes(row(page, 0), '05:05:07');
  await inPalette(page, 'time zone tokyo');
  await page.keyboard.press('Enter');
  await textBecomes(row(page, 0), '14:05:07');
});

test('a case is renamed, duplicated, closed and deleted, and recent cases come first', async () => {
  const page = await open([accessLog()]);
  await read(page, access.lines);
  await caseAction(page, 'rename');
  await page.getByTestId('case-name').fill('Tuesday outage');
  // Cancel is before what is meant, everywhere.
  const buttons = page.getByTestId('case-rename').locator('.buttons button');
  expect(await buttons.allInnerTexts()).toEqual(['Cancel', 'Rename']);
  await page.keyboard.press('Enter');
  await eventually('the name', async () =>
    (await page.getByTestId('case-menu').innerText()).includes('Tuesday outage'),
  );
  await caseAction(page, 'duplicate');
  await page.getByTestId('copying').waitFor({ state: 'detached' });
  await caseAction(page, 'close');
  const cases = page.getByTestId('recent');
  await eventually('two cases', async () => (await cases.count()) === 2);
  await textBecomes(cases.first(), 'Tuesday outage copy');
  const [list, zone] = await Promise.all(
    [page.getByTestId('recent-cases'), page.locator('.zone')].map((each) => each.boundingBox()),
  );
  expect(list!.y).toBeLessThan(zone!.y);

  await cases.first().getByTestId('case-actions').click();
  await page.getByTestId('case-actions-delete').click();
  await textBecomes(
    page.getByTestId('case-delete'),
    /600 events with all notes, [\d.]+ kB on disk/,
  );
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByTestId('case-confirm').click();
  await eventually('one case', async () => (await cases.count()) === 1);
  await cases.locator('.open').click();
  await totalBecomes(page, access.lines);
});

test('a file is unchecked in the preview and not imported', async () => {
  const page = await open();
  const other = join(temporaryFolder(), 'other.log');
  writeFileSync(other, '2026-03-01 14:05:00 INFO one\n');
  const dialog = page.waitForEvent('filechooser');
  await page.getByTestId('look-first').click();
  await (await dialog).setFiles([accessLog(), other]);
  await page.getByTestId('estimate').waitFor();
  const boxes = page.getByTestId('check-file');
  await expect.poll(() => boxes.count()).toBe(2);
  await page.getByTestId('check-all').uncheck();
  await page.getByTestId('obstacle').waitFor();
  await page.getByRole('checkbox', { name: 'Import other.log' }).check();
  await page.getByTestId('obstacle').waitFor({ state: 'detached' });
  await eventually('the estimate of one file', async () =>
    (await page.getByTestId('estimate').innerText()).startsWith('29 B'),
  );
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByTestId('start-import').click();
  await read(page, 1);
});

test('a case in which no file could be read is offered for deletion', async () => {
  const binary = join(temporaryFolder(), 'picture.png');
  writeFileSync(binary, Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0', 'latin1'));
  const page = await open([binary]);
  await page.getByTestId('delete-empty').click();
  await page.getByTestId('welcome').waitFor();
  await eventually('no case', async () => (await page.getByTestId('recent').count()) === 0);
});

test('events without a time are last, with a chip that shows only them', async () => {
  const plain = join(temporaryFolder(), 'plain.txt');
  writeFileSync(plain, 'no time in here\nnor in here\n');
  const page = await open([accessLog(), plain]);
  await read(page, access.lines + 2);
  await textBecomes(row(page, 0), '2024-03-05 14:00:00');
  const chip = page.getByTestId('untimed');
  await textBecomes(chip, /^2 without a time$/);
  await listBecomes(page, access.lines + 2);
  await page.getByTestId('events').focus();
  await page.keyboard.press('End');
  await textBecomes(row(page, access.lines + 1), 'nor in here');
  await chip.click();
  await totalBecomes(page, 2);
});

test('rows show the message first, numbers to the right, and the open event after Back', async () => {
  const page = await openSample();
  await eventually('a message', async () => {
    const text = await row(page, 4).locator('.raw').innerText();
    return text.trim() === 'DHCPACK of 10.0.0.12 from 10.0.0.1  db-1 dhclient[5535]';
  });
  await page.getByTestId('field-search').fill('status');
  const status = page.locator('[data-testid="known-field"][data-name="status"]');
  await status.getByTestId('field-column').click();
  await row(page, 0).locator('.cell.number').waitFor();
  // The text of a number ends where that of its head does.
  const ends = await page.evaluate(() =>
    ['[data-column="status"] .label', '[data-index="0"] .cell.number'].map((css) => {
      const text = document.createRange();
      text.selectNodeContents(document.querySelector(css)!);
      return text.getBoundingClientRect().right;
    }),
  );
  expect(Math.abs(ends[0]! - ends[1]!)).toBeLessThanOrEqual(1);

  // At 1280 × 800, with the detail open.
  await page.getByText('Dismiss').click();
  await page.getByTestId('first-look-spike').click();
  await listBecomes(page, 407);
  await row(page, 5).click();
  await page.locator('[data-testid="detail-split"] [data-testid="field"]').first().waitFor();
  const opened = await row(page, 5).innerText();
  await expect.poll(() => wholeRows(page)).toBeGreaterThanOrEqual(18);

  await page.getByTestId('back').click();
  await listBecomes(page, sample.events);
  const selected = page.locator('[data-testid="row"].selected');
  await eventually('the event far below', async () => {
    return Number(await selected.getAttribute('data-index')) > 1_000;
  });
  await expect.poll(() => selected.innerText()).toBe(opened);
});

test('the timeline is a strip that selects time too, by a key that is remembered', async () => {
  const page = await openSample();
  await page.getByText('Dismiss').click();
  await expect.poll(() => wholeRows(page)).toBeGreaterThanOrEqual(18);
  await page.keyboard.press('t');
  await page.locator('[data-testid="timeline"][data-strip="true"]').waitFor();
  await eventually('more rows', async () => (await wholeRows(page)) >= 24);
  expect(await seriousFindings(page)).toEqual([]);
  await mainPictures(page, 'strip');
  await brush(page, 0.5, 0.6);
  const chosen = await fewerThan(page, sample.events);
  // Above the row that says what differs.
  await page.getByTestId('difference-row').first().waitFor();
  await eventually('the rows again', async () => (await wholeRows(page)) >= 24);
  await page.reload();
  await totalBecomes(page, chosen);
  await page.locator('[data-testid="timeline"][data-strip="true"]').waitFor();
  await page.getByTestId('toggle-timeline').click();
  await page.locator('[data-testid="timeline"][data-strip="false"]').waitFor();
});

test('a query that is run is shown as its clauses, and as text while it is written', async () => {
  const page = await open([accessLog()]);
  await read(page, access.lines);
  const pills = page.getByTestId('pill');
  await query(page, 'checkout status:500 | stats count by status');
  await page.getByTestId('result-row').first().waitFor();
  await expect.poll(() => pills.count()).toBe(0);
  await page.keyboard.press('Shift+Tab');
  expect(await pills.allInnerTexts()).toEqual(['checkout', 'status:500']);
  await page.locator('[data-testid="pills"] button:focus').waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByTestId('tab-events').click();
  await pictures(page, 'query-as-clauses');
  // A click next to the clauses continues the text.
  await page.getByTestId('query').click();
  await page.keyboard.type(' | limit 1');
  await expect.poll(() => page.getByTestId('query').innerText()).toMatch(/status \| limit 1$/);
  await expect.poll(() => pills.count()).toBe(0);
});

test('fields are in the order of coverage, all of them are in the menus, and a menu can be searched', async () => {
  const wide = join(temporaryFolder(), 'wide.jsonl');
  const rare = Object.fromEntries(
    Array.from({ length: 593 }, (_, at) => [`rare_${String(at).padStart(3, '0')}`, at]),
  );
  const event = (second: number, more: object) =>
    JSON.stringify({ ts: `2026-03-01T14:05:0${second}Z`, Zone: 'a', status: 200, ...more });
  writeFileSync(wide, [event(0, {}), event(1, {}), event(2, rare)].join('\n'));
  const page = await open([wide]);
  await read(page, 3);
  const names = page.getByTestId('known-field');
  await eventually('the fields', async () => (await names.count()) > 590);
  const first = await names.evaluateAll((all) =>
    all.slice(0, 4).map((each) => (each as HTMLElement).dataset['name']),
  );
  expect(first).toEqual(['source', 'status', 'Zone', 'rare_000']);
  await page.getByTestId('timeline-split').click();
  const items = page.getByRole('menu').getByRole('menuitem');
  await eventually('all of them in the menu', async () => (await items.count()) > 590);
  await page.getByTestId('timeline-split-search').fill('are_592');
  expect(await items.allInnerTexts()).toEqual(['rare_592']);
  await page.keyboard.press('Enter');
  await page.locator('[data-testid="timeline"][data-split="rare_592"]').waitFor();
});

test('the list shows stack traces as lines, with their cause, and unfolds library frames', async () => {
  const log = join(temporaryFolder(), 'traces.log');
  const frames = (at: string, count: number) =>
    Array.from({ length: count }, (_, line) => `\tat ${at}(Some.java:${line})`);
  const trace = [
    'com.acme.OrderException: failed',
    ...frames('org.springframework.web.Servlet.go', 4),
    '\tat com.acme.Checkout.pay(Checkout.java:88)',
    'Caused by: java.net.SocketTimeoutException: \u202eRead timed out',
    ...frames('java.base/java.lang.Thread.run', 2),
  ];
  const event = (second: number) =>
    `2026-03-01 14:05:${10 + second} ERROR shop - Order ${second} failed\n${trace.join('\n')}\n`;
  writeFileSync(log, Array.from({ length: 40 }, (_, second) => event(second)).join(''));
  const page = await open([log]);
  await listBecomes(page, 40);
  await page.getByTestId('appearance').click();
  await page.getByTestId('lines-5').click();
  await page.keyboard.press('Escape');
  const text = row(page, 0).locator('.raw');
  const lines = async () => (await text.innerText()).split('\n').filter((line) => line.trim());
  await eventually('five lines', async () => (await lines()).length === 5);
  expect((await lines()).slice(1)).toEqual([
    'com.acme.OrderException: failed',
    '… 4 library frames',
    expect.stringContaining('at com.acme.Checkout.pay(Checkout.java:88)'),
    'Caused by: java.net.SocketTimeoutException: ‹U+202E›Read timed out',
  ]);
  const fits = await text.evaluate((cell) => {
    const last = cell.querySelector('.cause')!.getBoundingClientRect();
    return last.bottom <= cell.closest('[role="option"]')!.getBoundingClientRect().bottom;
  });
  expect(fits).toBe(true);
  await page.getByTestId('events').focus();
  await page.keyboard.press('End');
  await row(page, 39).getByText('Caused by').waitFor();

  await row(page, 39).click();
  const shown = page.getByTestId('stack-trace');
  const folded = shown.getByTestId('library-frames').first();
  await folded.click();
  await shown.getByText('Servlet.go').first().waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await pictures(page, 'stack-trace');
});
