/** Opens the workbench in pages of one browser, each with a server of its own. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';

import { openBrowser } from './page';
import { serve, type Server } from './server';

export type Open = (paths?: string[], colorScheme?: 'light' | 'dark') => Promise<Page>;

/** For the tests of a file. Pages and servers end with the test that opened them. */
export function opening(): Open {
  let browser: Browser;
  const contexts: BrowserContext[] = [];
  const servers: Server[] = [];

  beforeAll(async () => {
    browser = await openBrowser();
  });

  afterAll(() => browser.close());

  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close();
    for (const server of servers.splice(0)) await server.stop();
  });

  return async (paths = [], colorScheme = 'light') => {
    const server = await serve(paths);
    servers.push(server);
    const viewport = { width: 1280, height: 800 };
    const context = await browser.newContext({ viewport, colorScheme, timezoneId: 'UTC' });
    contexts.push(context);
    const page = await context.newPage();
    await page.goto(server.address);
    return page;
  };
}
