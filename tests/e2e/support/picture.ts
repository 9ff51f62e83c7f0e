/** Screenshots, kept by a run for people to look at; those of main screens are compared with how they looked before. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Page } from 'playwright-core';

import { root } from '../../../scripts/paths.mjs';
import { out } from './machine';
import { differingCells, thumbnail, type Thumbnail } from './thumbnail';

/** The thumbnails that main screens are compared with, as text: a person sees in a diff what has moved. */
const looks = join(root, 'tests', 'e2e', 'looks');

/** So many of the cells may be darker or lighter: numbers and times differ from run to run. */
export const MOST_DIFFERING = 0.05;

export async function picture(page: Page, name: string): Promise<Buffer> {
  // A running colour transition would be in the screenshot.
  return page.screenshot({ path: join(out, `browser-${name}.png`), animations: 'disabled' });
}

/** How wide some text is in the fonts of this machine. */
function fontWidths(page: Page): Promise<string> {
  return page.evaluate(() => {
    const pen = new OffscreenCanvas(1, 1).getContext('2d')!;
    const style = getComputedStyle(document.documentElement);
    const widths = ['--font', '--mono'].map((name) => {
      pen.font = `100px ${style.getPropertyValue(name)}`;
      return pen.measureText('Timberline 0123456789').width.toFixed(1);
    });
    return widths.join(' ');
  });
}

/** Fails if a screen no longer looks as it did. `TIMBERLINE_BLESS=1` keeps how it looks now. */
async function looksAsBefore(page: Page, name: string): Promise<void> {
  const now = await thumbnail(page, await picture(page, name));
  const [file, fontsFile] = [join(looks, `${name}.txt`), join(looks, 'fonts.txt')];
  const fonts = await fontWidths(page);
  if (process.env['TIMBERLINE_BLESS'] !== undefined) {
    mkdirSync(looks, { recursive: true });
    writeFileSync(file, `${now.join('\n')}\n`);
    writeFileSync(fontsFile, `${fonts}\n`);
  }
  // With other fonts every text is elsewhere.
  if (readFileSync(fontsFile, 'utf8').trim() !== fonts) return;
  if (!existsSync(file))
    throw new Error(`${name} was never looked at; TIMBERLINE_BLESS=1 keeps it`);
  const before: Thumbnail = readFileSync(file, 'utf8').trimEnd().split('\n');
  const { share, marked } = differingCells(before, now);
  if (share <= MOST_DIFFERING) return;
  const percent = (100 * share).toFixed(0);
  throw new Error(
    `${name} looks otherwise than before, in ${percent} % of it (see browser-${name}.png). ` +
      `Where, with # for cells that are darker or lighter:\n${marked.join('\n')}`,
  );
}

/** The same screen in light and dark, of a page that was opened in light. */
export async function pictures(
  page: Page,
  name: string,
  take: (page: Page, name: string) => Promise<unknown> = picture,
): Promise<void> {
  await take(page, name);
  await page.emulateMedia({ colorScheme: 'dark' });
  await drawn(page);
  await take(page, `${name}-dark`);
  await page.emulateMedia({ colorScheme: 'light' });
  await drawn(page);
}

/** The sizes that main screens are looked at in. */
const SIZES = [
  { width: 1280, height: 800 },
  { width: 1440, height: 900 },
];

/** A main screen at both sizes, in light and dark, as it looked before; each size is checked as well. */
export async function mainPictures(
  page: Page,
  name: string,
  check: () => Promise<void> = async () => {},
): Promise<void> {
  const before = page.viewportSize();
  // What is under the pointer looks otherwise.
  await page.mouse.move(0, 0);
  for (const size of SIZES) {
    await page.setViewportSize(size);
    await drawn(page);
    await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
    await check();
    await pictures(page, `${name}-${size.width}`, looksAsBefore);
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
