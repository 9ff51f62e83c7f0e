/** Screenshots, kept by a run for people to look at. */
import { join } from 'node:path';

import type { Page } from 'playwright-core';

import { out } from './machine';

export async function picture(page: Page, name: string): Promise<void> {
  // A running colour transition would be in the screenshot.
  await page.screenshot({ path: join(out, `browser-${name}.png`), animations: 'disabled' });
}

/** The same screen in light and dark, of a page that was opened in light. */
export async function pictures(page: Page, name: string): Promise<void> {
  await picture(page, name);
  await page.emulateMedia({ colorScheme: 'dark' });
  await drawn(page);
  await picture(page, `${name}-dark`);
  await page.emulateMedia({ colorScheme: 'light' });
  await drawn(page);
}

/** The sizes that main screens are looked at in. */
const SIZES = [
  { width: 1280, height: 800 },
  { width: 1440, height: 900 },
];

/** A main screen at both sizes, in light and dark; each size is checked as well. */
export async function mainPictures(
  page: Page,
  name: string,
  check: () => Promise<void> = async () => {},
): Promise<void> {
  const before = page.viewportSize();
  for (const size of SIZES) {
    await page.setViewportSize(size);
    await drawn(page);
    await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
    await check();
    await pictures(page, `${name}-${size.width}`);
  }
  if (before !== null) await page.setViewportSize(before);
}

/** A canvas redraws in the frame after its colours changed. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(
    () =>
      new Promise<void>((done) => {
        requestAnimationFrame(() => requestAnimationFrame(() => done()));
      }),
  );
}
