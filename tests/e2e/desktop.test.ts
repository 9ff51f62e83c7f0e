/** The real window, on a display of its own, driven through WebKit's driver. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import type { Display } from './support/display';
import { openDisplay } from './support/display';
import { dropFiles } from './support/drop';
import { access, accessLog, millionLines, sample } from './support/logs';
import { eventually, figure, out, temporaryFolder, window } from './support/machine';
import { openApp, type App } from './support/webdriver';

let display: Display;
let app: App | undefined;

beforeAll(async () => {
  display = await openDisplay();
});

afterAll(() => display.stop());

afterEach(async () => {
  await app?.close();
  app = undefined;
});

async function open(...paths: string[]): Promise<App> {
  const home = temporaryFolder();
  app = await openApp(window, paths, { DISPLAY: display.name, TIMBERLINE_HOME: home });
  return app;
}

const number = async (of: App, testid: string, attribute: string) =>
  Number((await of.attribute(testid, attribute)) ?? Number.NaN);

function totalBecomes(of: App, wanted: number, limitMs?: number): Promise<boolean> {
  const arrived = async () => (await number(of, 'total', 'data-value')) === wanted;
  return eventually(`${wanted} events`, arrived, limitMs);
}

/** The rows come by themselves, before or after the number above the timeline. */
async function listBecomes(of: App, wanted: number): Promise<void> {
  await totalBecomes(of, wanted);
  const arrived = async () => (await number(of, 'events', 'data-total')) === wanted;
  await eventually(`${wanted} events in the list`, arrived);
}

async function picture(of: App, name: string): Promise<void> {
  writeFileSync(join(out, `desktop-${name}.png`), await of.screenshot());
}

describe('the window', () => {
  test('imports a log from the command line, counts, filters, and shows an event', async () => {
    const opened = await open(accessLog());
    await totalBecomes(opened, access.lines);
    expect(await number(opened, 'timeline', 'data-buckets')).toBeGreaterThan(10);
    expect(await number(opened, 'timeline', 'data-total')).toBe(access.lines);
    await picture(opened, 'import');

    await opened.click('query');
    await opened.type('query', 'checkout\uE007');
    await listBecomes(opened, access.checkouts);

    await opened.click('row');
    await eventually('the detail', () => opened.text('detail-tab-raw'));
    await opened.click('detail-tab-raw');
    const raw = await eventually('the text', () => opened.text('detail-raw'));
    expect(raw).toContain('POST /checkout');
    await picture(opened, 'detail');
  });

  test('opens the sample from the welcome screen', async () => {
    const opened = await open();
    await eventually('the welcome screen', async () => (await opened.text('welcome')).length > 0);
    await picture(opened, 'welcome');
    await opened.click('load-sample');
    await eventually('the sample', async () => (await number(opened, 'total', 'data-value')) > 100);
    await eventually('bars', async () => (await number(opened, 'timeline', 'data-buckets')) > 3);
    await picture(opened, 'sample');
  });

  test('groups digits if the system has no language', async () => {
    // Of these only LANG is left to choose a language.
    const nobodys = { LANG: 'C.UTF-8', LC_ALL: '', LANGUAGE: '' };
    const env = { DISPLAY: display.name, TIMBERLINE_HOME: temporaryFolder(), ...nobodys };
    const opened = await openApp(window, [], env);
    app = opened;
    await eventually('the welcome screen', () => opened.text('welcome'));
    await opened.click('load-sample');
    await totalBecomes(opened, sample.events);
    expect(await opened.text('total')).toContain(sample.events.toLocaleString('en-US'));
  });

  test('runs no foreign script and grants the page no other permission', async () => {
    const opened = await open();
    await eventually('the welcome screen', () => opened.text('welcome'));
    const inline = `const script = document.createElement('script');
      script.textContent = 'window.ran = true';
      document.head.append(script);
      return window.ran === true;`;
    expect(await opened.run<boolean>(inline)).toBe(false);
    const answer = await opened.run<string>(
      `window.asked = 'waiting';
       window.__TAURI_INTERNALS__.invoke('plugin:dialog|open', { options: {} })
         .then(() => { window.asked = 'allowed'; }, () => { window.asked = 'refused'; });
       return window.asked;`,
    );
    expect(answer).toBe('waiting');
    const settled = () => opened.run<string>('return window.asked !== "waiting" && window.asked');
    expect(await eventually('the answer', settled)).toBe('refused');
  });
});

describe('a drop from another program', () => {
  test('imports the files', async () => {
    const opened = await open();
    await eventually('the welcome screen', () => opened.text('welcome'));
    await dropFiles(display.name, [accessLog()]);
    await totalBecomes(opened, access.lines);
  });

  test(
    'of a million lines shows a histogram while they are read',
    { timeout: 300_000 },
    async () => {
      const file = millionLines();
      const opened = await open();
      await eventually('the welcome screen', () => opened.text('welcome'));
      // The page itself records its first paint, because polling it from outside takes time.
      await opened.run(`window.drawn = null;
      const look = () => {
        const timeline = document.querySelector('[data-testid="timeline"]');
        const reading = document.querySelector('[data-testid="import-panel"]');
        if (Number(timeline?.getAttribute('data-buckets')) > 0)
          window.drawn = { at: Date.now(), active: reading?.getAttribute('data-active') };
        else requestAnimationFrame(look);
      };
      look();`);
      const dropped = await dropFiles(display.name, [file]);
      const drawn = await eventually('a histogram', () =>
        opened.run<{ at: number; active: string } | null>('return window.drawn'),
      );
      figure(
        `First histogram of 1,000,000 lines in the window: ${drawn.at - dropped} ms after the drop (wanted: under 1000 ms)`,
      );
      expect(drawn.active).toBe('true');
      await totalBecomes(opened, 1_000_000, 120_000);
    },
  );
});
