/** The journeys in a browser, with `timberline serve`; start-up time and bundle size. */
import { gzipSync } from 'node:zlib';

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { seriousFindings } from './support/accessible';
import { capabilities } from './support/capabilities';
import { journeys, type Host } from './support/journeys';
import { figure } from './support/machine';
import { openBrowser } from './support/page';
import { realCluster } from './support/realcluster';
import { browserHands, Screen } from './support/screen';
import { serve } from './support/server';

/** Limits for the size of the JavaScript, gzipped, and for the time from start to first paint. */
const SCRIPT_BYTES = 500_000;
const FIRST_PAINT_MS = 1_000;

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});

afterAll(() => browser.close());

async function newPage() {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    timezoneId: 'UTC',
    locale: 'en-GB',
  });
  return { context, page: await context.newPage() };
}

const host: Host = {
  name: 'browser',
  async open(path, home) {
    const server = await serve([path], home);
    const { context, page } = await newPage();
    await page.goto(server.address);
    return {
      screen: new Screen(browserHands(page)),
      findings: () => seriousFindings(page),
      async stop() {
        await context.close();
        await server.stop();
      },
    };
  },
};

journeys(host);
capabilities(host);
realCluster(host);

test('the screen is up soon after the start, and is small', async () => {
  const began = Date.now();
  const server = await serve([]);
  const { context, page } = await newPage();
  try {
    await page.goto(server.address);
    await page.getByTestId('welcome').waitFor();
    const painted = await page.waitForFunction(() => {
      const first = performance.getEntriesByName('first-contentful-paint')[0];
      return first === undefined ? null : performance.timeOrigin + first.startTime;
    });
    const elapsed = ((await painted.jsonValue()) ?? Number.NaN) - began;
    figure(
      `Start to first paint in the browser: ${elapsed.toFixed(0)} ms, the engine's start included ` +
        `(wanted: under ${FIRST_PAINT_MS} ms)`,
    );
    expect(elapsed).toBeLessThan(4 * FIRST_PAINT_MS);

    const bytes = await packedScripts(new URL(server.address).origin);
    figure(
      `JavaScript of the screen: ${(bytes / 1000).toFixed(0)} KB gzipped ` +
        `(wanted: under ${SCRIPT_BYTES / 1000} KB)`,
    );
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(SCRIPT_BYTES);
  } finally {
    await context.close();
    await server.stop();
  }
});

/** All scripts that the page can load: those it references, and those that these reference. */
async function packedScripts(origin: string): Promise<number> {
  const found = new Set<string>();
  let bytes = 0;
  async function follow(text: string): Promise<void> {
    for (const [, name] of text.matchAll(/([\w-]+\.js)\b/g)) {
      if (name === undefined || found.has(name)) continue;
      found.add(name);
      const answer = await fetch(`${origin}/assets/${name}`);
      if (!answer.headers.get('content-type')?.includes('javascript')) continue;
      const script = await answer.text();
      bytes += gzipSync(script).length;
      await follow(script);
    }
  }
  await follow(await (await fetch(`${origin}/`)).text());
  return bytes;
}
