/** The event list, its fields, the detail, and the follow-up tabs, in a browser. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { seriousFindings } from './support/accessible';
import { access, accessLog } from './support/logs';
import { eventually, temporaryFolder } from './support/machine';
import {
  attributeBecomes,
  listBecomes,
  openBrowser,
  openField,
  query,
  restingBox,
  rowsAreWhole,
  textBecomes,
  total,
  totalBecomes,
} from './support/page';
import { drawn, pictures } from './support/picture';
import { serve, type Server } from './support/server';

let browser: Browser;
let server: Server;
const contexts: BrowserContext[] = [];
/** Servers of one test. */
const servers: Server[] = [];

const HOSTILE = '<img src=x onerror=alert(1)> \u202ereversed\u202c zero\u200bwidth';
/** Close to the longest event that is not split. */
const LONG_BYTES = 1_000_000;

/** Events of a shop that share an id with the hostile log; the third is a long one. */
function jsonLog(folder: string): string {
  const event = (minute: string, level: string, more: object) =>
    JSON.stringify({ ts: `2024-03-05T14:${minute}:30Z`, level, service: 'shop', ...more });
  const lines = [
    event('01', 'info', { trace: 'tr-0042', took: 12.5, big: 1 }),
    event('02', 'error', { trace: 'tr-0042', took: 99.5, cart: { items: 3 } }),
    event('03', 'warn', { trace: 'tr-0043', blob: 'x'.repeat(LONG_BYTES) }),
  ];
  const path = join(folder, 'shop.jsonl');
  writeFileSync(path, lines.join('\n') + '\n');
  return path;
}

function hostileLog(folder: string): string {
  const path = join(folder, 'hostile.log');
  const colour = '\u001b[31mred\u001b[0m';
  writeFileSync(
    path,
    `2024-03-05 14:04:30 ERROR ${HOSTILE} nul:\u0000 ${colour} tr-0042\n2024-03-05 14:05:30 INFO plain\n`,
  );
  return path;
}

const all = access.lines + 5;

async function ownServer(paths: string[]): Promise<Server> {
  const own = await serve(paths);
  servers.push(own);
  return own;
}

beforeAll(async () => {
  browser = await openBrowser();
  const folder = temporaryFolder();
  server = await serve([accessLog(), jsonLog(folder), hostileLog(folder)]);
});

afterAll(async () => {
  await browser.close();
  await server.stop();
});

afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
  for (const own of servers.splice(0)) await own.stop();
});

async function open(address: string, events = all): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    timezoneId: 'UTC',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  contexts.push(context);
  const page = await context.newPage();
  await page.goto(address);
  await listBecomes(page, events);
  // A request while the import still commits would be repeated a moment later.
  await page
    .locator('[data-testid="import-panel"][data-active="true"]')
    .waitFor({ state: 'detached' });
  return page;
}

const row = (page: Page, index: number) =>
  page.locator(`[data-testid="row"][data-index="${index}"]`);

const selected = (page: Page) =>
  page.locator('[data-testid="row"].selected').getAttribute('data-index');

/** Text that must not be cut: times, and letters that are higher than their row. */
function clipped(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const cells = [...document.querySelectorAll<HTMLElement>('[data-testid="row"] > .cell')];
    const describe = (cell: HTMLElement) => `${cell.className}: ${cell.innerText}`;
    const times = cells.filter((cell) => cell.classList.contains('time'));
    const narrow = times.filter((cell) => cell.scrollWidth > cell.clientWidth);
    const low = cells.filter((cell) => {
      const size = Number.parseFloat(getComputedStyle(cell).fontSize);
      return cell.clientHeight < size * 1.15;
    });
    const page = document.documentElement;
    const over = page.scrollWidth > page.clientWidth ? ['the page is wider than the window'] : [];
    return [...narrow.map(describe), ...low.map(describe), ...over];
  });
}

/** The number of different colours of the timeline's bars. */
function colours(page: Page): Promise<number> {
  return page.evaluate(() => {
    const canvas = document.querySelector<HTMLCanvasElement>('[data-testid="timeline-canvas"]')!;
    const context = canvas.getContext('2d')!;
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    const counts = new Map<string, number>();
    for (let at = 0; at < data.length; at += 4) {
      if (data[at + 3] !== 255) continue;
      // Greys are lines and letters.
      const [red, green, blue] = [data[at]!, data[at + 1]!, data[at + 2]!];
      if (Math.max(red, green, blue) - Math.min(red, green, blue) < 40) continue;
      const colour = `${red},${green},${blue}`;
      counts.set(colour, (counts.get(colour) ?? 0) + 1);
    }
    return [...counts.values()].filter((count) => count > 50).length;
  });
}

describe('the workbench', () => {
  test.each([
    [1024, 700, 'below'],
    [1280, 800, 'right'],
    [2560, 1440, 'right'],
  ] as const)('is readable at %i × %i, with an event open', async (width, height, place) => {
    const page = await open(server.address);
    await page.setViewportSize({ width, height });
    await row(page, 4).click();
    await page.getByTestId('detail').waitFor();
    const split = page.getByTestId('detail-split').first();
    await attributeBecomes(split, 'data-place', place);
    await eventually('room for the list', async () => {
      const box = await page.getByTestId('events').boundingBox();
      return box !== null && box.width > 700 && box.height > 80;
    });
    await rowsAreWhole(page);
    expect(await clipped(page)).toEqual([]);
    expect(await selected(page)).toBe('4');
    await pictures(page, `workbench-${width}`);
    await page.getByTestId('detail-move').click();
    const other = place === 'below' ? 'right' : 'below';
    await attributeBecomes(split, 'data-place', other);
    await page.reload();
    await listBecomes(page, all);
    await row(page, 4).click();
    await page.getByTestId('detail').waitFor();
    await attributeBecomes(split, 'data-place', other);
  });

  test('grows with the text size of the system', async () => {
    const page = await open(server.address);
    const before = (await row(page, 0).boundingBox())!.height;
    await page.evaluate(() => (document.documentElement.style.fontSize = '20px'));
    await eventually(
      'higher rows',
      async () => ((await row(page, 0).boundingBox())?.height ?? 0) > before,
    );
    await row(page, 4).click();
    await page.getByTestId('detail').waitFor();
    expect(await clipped(page)).toEqual([]);
    await pictures(page, 'large-letters');
  });

  test('keeps levels and the selection distinct in forced colours', async () => {
    const page = await open(server.address);
    await row(page, 4).click();
    await page.getByTestId('detail').waitFor();
    await drawn(page);
    const plain = await colours(page);
    expect(plain).toBeGreaterThan(1);
    await page.emulateMedia({ forcedColors: 'active' });
    await drawn(page);
    await eventually('the same colours', async () => (await colours(page)) === plain);
    const chosen = await page.evaluate(() => {
      const ground = (selector: string) =>
        getComputedStyle(document.querySelector(selector)!).backgroundColor;
      const outline = (selector: string) =>
        getComputedStyle(document.querySelector(selector)!).outlineStyle;
      return {
        tab: ground('[data-testid="tab-events"]') !== ground('[data-testid="tab-charts"]'),
        row: [outline('[data-testid="row"].selected'), outline('[data-index="6"]')],
      };
    });
    expect(chosen).toEqual({ tab: true, row: ['solid', 'none'] });
    await pictures(page, 'forced-colours');
  });

  test('does not animate with reduced motion', async () => {
    const page = await open(server.address);
    const longest = () =>
      page.evaluate(() => {
        const seconds = (text: string) => Math.max(...text.split(',').map(Number.parseFloat));
        const styles = [...document.querySelectorAll('*')].map((one) => getComputedStyle(one));
        return Math.max(
          ...styles.map((style) =>
            Math.max(seconds(style.transitionDuration), seconds(style.animationDuration)),
          ),
        );
      });
    expect(await longest()).toBeGreaterThan(0.05);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    expect(await longest()).toBeLessThan(0.001);
  });
});

describe('the fields', () => {
  test('show their values, and a click on one becomes a query', async () => {
    const page = await open(server.address);
    await openField(page, 'status');
    const distinct = page.getByTestId('field-distinct');
    await attributeBecomes(distinct, 'data-value', '2');
    expect(await seriousFindings(page)).toEqual([]);
    await pictures(page, 'fields');

    const failed = page.locator('[data-testid="top-value"][data-value="500"]');
    await failed.getByTestId('only').click();
    await totalBecomes(page, access.checkouts);
    await expect.poll(() => page.getByTestId('query').innerText()).toBe('status=500');
    // The value that is not chosen stays, with its count.
    await attributeBecomes(distinct, 'data-value', '2');
    await failed.getByTestId('without').click();
    await totalBecomes(page, all - access.checkouts);
    await page.getByTestId('undo').click();
    await totalBecomes(page, access.checkouts);
  });

  test('are listed separately if no event has them, and a small share is not shown as none', async () => {
    const page = await open(server.address);
    const share = (name: string) =>
      page.locator(`[data-testid="known-field"][data-name="${name}"] .share`);
    // Three of about six hundred events.
    await share('trace').filter({ hasText: '<1%' }).waitFor();
    await expect.poll(() => page.getByTestId('fields-absent').count()).toBe(0);
    await query(page, 'status=500');
    await totalBecomes(page, access.checkouts);
    await page.getByTestId('fields-absent').waitFor();
    const order = () =>
      page
        .locator('[data-testid="known-field"], [data-testid="fields-absent"]')
        .evaluateAll((all) => all.map((each) => (each as HTMLElement).dataset['name'] ?? '|'));
    await eventually('what is not there, at the end', async () => {
      const names = await order();
      return (
        names.indexOf('trace') > names.indexOf('|') && names.indexOf('status') < names.indexOf('|')
      );
    });
    expect(await seriousFindings(page)).toEqual([]);
    await pictures(page, 'fields-absent');
    // Nothing moves under the pointer.
    await page.keyboard.press('Escape');
    await page.locator('[data-name="status"]').hover();
    await page.keyboard.press('ControlOrMeta+Z');
    await share('trace').filter({ hasText: '<1%' }).waitFor();
    await expect.poll(() => page.getByTestId('fields-absent').count()).toBe(1);
    await page.mouse.move(0, 0);
    await page.getByTestId('fields-absent').waitFor({ state: 'detached' });
  });

  test('say so if there are none', async () => {
    const path = join(temporaryFolder(), 'plain.txt');
    writeFileSync(path, 'first words\nsecond words\nthird words\n');
    const page = await open((await ownServer([path])).address, 3);
    await page.getByTestId('no-fields').waitFor();
    await row(page, 1).click();
    await page.getByTestId('detail-tab-table').click();
    await page.getByTestId('no-fields-here').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });
});

describe('columns', () => {
  test('are added, moved by keys, sorted by, and remembered', async () => {
    const page = await open(server.address);
    await openField(page, 'status');
    await page.locator('[data-name="status"] [data-testid="field-column"]').click();
    const heads = page.locator('[data-column]');
    const names = () =>
      heads.evaluateAll((all) => all.map((head) => head.getAttribute('data-column')));
    expect(await names()).toEqual(['time', 'level', 'source', 'status', 'raw']);
    await row(page, 0).getByText('200', { exact: true }).waitFor();

    await page.locator('[data-column="status"] .name').focus();
    await page.keyboard.press('Shift+ArrowLeft');
    expect(await names()).toEqual(['time', 'level', 'status', 'source', 'raw']);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await row(page, 0).getByText('500', { exact: true }).waitFor();
    await pictures(page, 'sorted');
    await page.keyboard.press('Delete');
    expect(await names()).toEqual(['time', 'level', 'source', 'raw']);
    await page.keyboard.press('ControlOrMeta+Z');
    expect(await names()).toEqual(['time', 'level', 'status', 'source', 'raw']);

    await page.reload();
    await listBecomes(page, all);
    expect(await names()).toEqual(['time', 'level', 'status', 'source', 'raw']);
    await row(page, 0).getByText('500', { exact: true }).waitFor();
  });

  test('are dragged to another position and another width', async () => {
    const page = await open(server.address);
    const head = page.locator('[data-column="source"]');
    const before = await restingBox(head);
    await page.mouse.move(before.x + 40, before.y + 12);
    await page.mouse.down();
    await page.mouse.move(before.x - 60, before.y + 12, { steps: 4 });
    await page.mouse.move(before.x - 190, before.y + 12, { steps: 4 });
    await page.mouse.up();
    const first = page.locator('[data-column]').first();
    await expect.poll(() => first.getAttribute('data-column')).toBe('source');
    const box = await restingBox(first);
    await page.mouse.move(box.x + box.width, box.y + 12);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width + 80, box.y + 12, { steps: 4 });
    await page.mouse.up();
    expect((await first.boundingBox())!.width).toBeCloseTo(box.width + 80, -1);
    await page.getByTestId('undo').click();
    await page.getByTestId('undo').click();
    await expect.poll(() => first.getAttribute('data-column')).toBe('time');
  });
});

describe('the list', () => {
  test('goes to the next error, mark and time by keys', async () => {
    const page = await open(server.address);
    await row(page, 0).waitFor();
    await page.getByTestId('events').focus();
    await page.keyboard.press('e');
    await eventually('the first error', async () => (await selected(page)) === '3');
    await page.keyboard.press('e');
    await eventually('the second error', async () => (await selected(page)) === '13');
    await page.keyboard.press('E');
    await eventually('the first error', async () => (await selected(page)) === '3');
    await page.keyboard.press('E');
    await eventually('nothing before', async () =>
      (await page.getByTestId('seek-status').innerText()).includes('No earlier errors'),
    );
    const minimap = page.getByTestId('minimap');
    await eventually('errors in the strip', async () => {
      return Number(await minimap.getAttribute('data-errors')) > 20;
    });

    await page.keyboard.press('ControlOrMeta+F');
    await page.keyboard.type('"item/77"');
    await page.keyboard.press('Enter');
    await eventually('the mark', async () =>
      (await page.locator('[data-testid="row"].selected').innerText()).includes('/item/77 '),
    );
    expect(await total(page)).toBe(all);
    await textBecomes(page.getByTestId('count-match'), /^1$/);
    await page.locator('[data-testid="row"].selected mark').waitFor();

    await page.getByTestId('events').focus();
    await page.keyboard.press('T');
    await page.getByTestId('jump-time').fill('2024-03-05 14:30');
    await page.keyboard.press('Enter');
    await eventually('the time', async () =>
      (await page.locator('[data-testid="row"].selected').innerText()).includes('14:30:00'),
    );
    // A test on the time, as in a query, is a time too: after this minute, and before it.
    for (const [text, shown] of [
      ['time>14:31', '14:32:00'],
      ['time<14:31', '14:31:00'],
    ] as const) {
      await page.keyboard.press('T');
      await page.getByTestId('jump-time').fill(text);
      await page.keyboard.press('Enter');
      await eventually(text, async () =>
        (await page.locator('[data-testid="row"].selected').innerText()).includes(shown),
      );
    }
    await rowsAreWhole(page);
    expect(await seriousFindings(page)).toEqual([]);
    await pictures(page, 'marks');
  });

  test('copies the selection as text, JSON and Markdown', async () => {
    const page = await open(server.address);
    await row(page, 0).click();
    await row(page, 2).click({ modifiers: ['Shift'] });
    await row(page, 4).click({ modifiers: ['ControlOrMeta'] });
    await expect.poll(() => page.getByTestId('picked').getAttribute('data-count')).toBe('4');
    const clipboard = async (format: string) => {
      await page.getByTestId(`copy-${format}`).click();
      await eventually('the copy', async () =>
        (await page.getByTestId('confirmation').innerText()).includes('4'),
      );
      return page.evaluate(() => navigator.clipboard.readText());
    };
    const text = await clipboard('text');
    expect(text.split('\n')).toHaveLength(4);
    expect(text).toContain('GET /item/0 HTTP/1.1');
    await eventually('the JSON', async () => {
      const objects = (await clipboard('json'))
        .split('\n')
        .map((line) => JSON.parse(line) as object);
      return objects.length === 4 && 'status' in objects[0]!;
    });
    await eventually('the table', async () => (await clipboard('markdown')).startsWith('| time |'));
    expect(await seriousFindings(page)).toEqual([]);
    await pictures(page, 'picked');

    await page.getByTestId('events').focus();
    await page.keyboard.press('Escape');
    await page.getByTestId('pickbar').waitFor({ state: 'detached' });
    await page.keyboard.press('ControlOrMeta+A');
    await expect
      .poll(() => page.getByTestId('picked').getAttribute('data-count'))
      .toBe(String(all));
    await page.keyboard.press('Escape');
    await page.keyboard.press('Shift+ArrowDown');
    await page.getByTestId('compare').click();
    await page.getByTestId('comparison').waitFor();
    await expect.poll(() => page.getByTestId('difference').count()).toBeGreaterThan(2);
    expect(await seriousFindings(page)).toEqual([]);
    await pictures(page, 'comparison');
  });

  test('shows more lines per event, and stays where it is', async () => {
    const page = await open(server.address);
    await page.getByTestId('appearance').click();
    await page.getByTestId('lines-3').click();
    const box = await row(page, 0).boundingBox();
    expect(box?.height).toBeGreaterThan(60);
    await rowsAreWhole(page);
    await page.getByTestId('lines-1').click();
  });

  test('keeps its rows and says so when the engine goes away', async () => {
    const own = await ownServer([accessLog()]);
    const page = await open(own.address, access.lines);
    await row(page, 0).waitFor();
    await page.getByTestId('events').hover();
    await own.stop();
    await page.mouse.wheel(0, 9_000);
    await page.getByTestId('lost').waitFor();
    await page.getByTestId('reconnect').waitFor();
    await expect.poll(() => page.locator('[data-testid="row"]').count()).toBeGreaterThan(0);
    expect(await seriousFindings(page)).toEqual([]);
    await pictures(page, 'engine-gone');
  });
});

describe('the detail', () => {
  test('shows an event as fields, JSON, raw text and pattern', async () => {
    const page = await open(server.address);
    await query(page, 'source:shop.jsonl');
    await listBecomes(page, 3);
    await row(page, 1).click();
    const valueOf = (name: string) =>
      page.locator(`[data-testid="field"][data-name="${name}"] .value`);
    await valueOf('took').click({ button: 'right' });
    await page.getByTestId('value-column').click();
    await page.locator('[data-column="took"]').waitFor();

    // The values of all fields share one tab stop.
    const focused = () =>
      page.evaluate(
        () => document.activeElement!.closest<HTMLElement>('.field')?.dataset['name'] ?? '',
      );
    await page.locator('#detail-body').focus();
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('took');
    await page.keyboard.press('ArrowUp');
    expect(await focused()).not.toBe('took');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement!.closest('.field'))).toBeNull();
    await page.getByTestId('detail-tab-json').click();
    await page.getByTestId('json-tree').getByText('items').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await pictures(page, 'detail-json');
    await page.getByTestId('detail-tab-raw').click();
    await page.getByTestId('detail-raw').locator('.piece').first().waitFor();
    await page.getByTestId('raw-bytes').click();
    await expect.poll(() => page.getByTestId('detail-bytes').innerText()).toContain('7b 22 74 73');
    expect(await seriousFindings(page)).toEqual([]);

    // A line of a megabyte is shown up to a limit, and the tab is remembered.
    await page.getByTestId('raw-text').click();
    await row(page, 2).click();
    await page.getByTestId('detail').getByText('Truncated').waitFor();
    await query(page, 'source:hostile.log');
    await listBecomes(page, 2);
    await page.getByTestId('detail-tab-pattern').click();
    await row(page, 1).click();
    await page.getByTestId('event-pattern').getByText('plain').waitFor();
  });

  test('never executes what a log contains', async () => {
    const page = await open(server.address);
    await query(page, 'source:hostile.log');
    await listBecomes(page, 2);
    await row(page, 0).click();
    await page.getByTestId('detail-tab-raw').click();
    const raw = await page.getByTestId('detail-raw').innerText();
    expect(raw).toContain('<img src=x onerror=alert(1)>');
    expect(raw).toContain('‹U+202E›');
    expect(raw).toContain('‹U+200B›');
    expect(raw).toContain('\u2400');
    await expect.poll(() => page.locator('img[src="x"]').count()).toBe(0);
    expect(await seriousFindings(page)).toEqual([]);
    await pictures(page, 'hostile');
  });

  test('leads to the surrounding events, and to the occurrences of a value', async () => {
    const page = await open(server.address);
    await query(page, 'source:shop.jsonl error');
    await listBecomes(page, 1);
    await row(page, 0).click();
    await page.getByTestId('detail-tab-table').click();
    await page.getByTestId('around').click();
    const events = page.getByTestId('trail-event');
    await eventually('its file', async () => (await events.count()) === 3);
    await page.getByTestId('around-everywhere').click();
    await eventually('every file', async () => (await events.count()) > 20);
    expect(await seriousFindings(page)).toEqual([]);
    await pictures(page, 'around');
    await page.getByTestId('context-tab').locator('[data-source="access.log"]').first().click();
    await eventually('the detail of another', async () =>
      (await page.getByTestId('detail').innerText()).includes('access.log'),
    );
    await page.getByTestId('tab-close').click();
    await page.getByTestId('context-tab').waitFor({ state: 'detached' });

    await row(page, 0).click();
    await page
      .locator('[data-testid="field"][data-name="trace"] .value')
      .click({ button: 'right' });
    await page.getByTestId('value-follow').click();
    const trails = page.getByTestId('trail');
    await eventually('both sources', async () => (await trails.count()) === 2);
    await eventually('three events', async () => (await events.count()) === 3);
    // The time and the level of a line have columns of their own here as well.
    const line = page.locator('[data-testid="trail-event"][data-source="hostile.log"] .text');
    await line.filter({ hasText: /^<img/ }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await pictures(page, 'follow');
    await page.getByTestId('tab-close').click();
    await page.getByTestId('undo').click();
    await page.getByTestId('follow-tab').waitFor();
    await page.getByTestId('filter-by-value').click();
    // The existing event has the value; another query is typed after that.
    await eventually('the filter', async () =>
      (await page.getByTestId('query').innerText()).includes('tr-0042'),
    );
    await totalBecomes(page, 1);
    await query(page, '"tr-0042"');
    await totalBecomes(page, 3);
  });
});
