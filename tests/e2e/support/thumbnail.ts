/** Screens as a few hundred cells: enough to see that a panel is gone or moved, and too few to see a number change. */
import type { Page } from 'playwright-core';

/** Lines of digits, base 16: how light each cell is, from the darkest of the screen to the lightest. */
export type Thumbnail = readonly string[];

const COLUMNS = 40;
const ROWS = 25;
const LEVELS = 16;

/** Cells of neighbouring levels count as alike. */
const ALIKE = 1;

/** The thumbnail of a screenshot. The page unpacks it, so that no library for pictures is needed. */
export async function thumbnail(page: Page, screenshot: Buffer): Promise<Thumbnail> {
  const light = await page.evaluate(
    async ([source, columns, rows]) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      const { width, height } = image;
      const canvas = new OffscreenCanvas(width, height);
      const context = canvas.getContext('2d')!;
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, width, height);
      const sums = new Float64Array(columns * rows);
      for (let y = 0; y < height; y += 1) {
        for (let x = 0; x < width; x += 1) {
          const at = 4 * (y * width + x);
          const cell =
            Math.floor((y * rows) / height) * columns + Math.floor((x * columns) / width);
          sums[cell]! += data[at]! + data[at + 1]! + data[at + 2]!;
        }
      }
      return [...sums];
    },
    [`data:image/png;base64,${screenshot.toString('base64')}`, COLUMNS, ROWS] as const,
  );
  return ofLight(light, COLUMNS);
}

export function ofLight(light: readonly number[], columns: number): Thumbnail {
  const darkest = Math.min(...light);
  const range = Math.max(...light) - darkest || 1;
  const digits = light.map((sum) =>
    Math.min(LEVELS - 1, Math.floor(((sum - darkest) / range) * LEVELS)).toString(LEVELS),
  );
  return Array.from({ length: light.length / columns }, (_, row) =>
    digits.slice(row * columns, (row + 1) * columns).join(''),
  );
}

/** The share of cells that are darker or lighter, and where they are. */
export function differingCells(
  before: Thumbnail,
  now: Thumbnail,
): { share: number; marked: readonly string[] } {
  let differing = 0;
  const marked = now.map((line, row) =>
    [...line]
      .map((digit, column) => {
        const level = parseInt(before[row]?.[column] ?? '', LEVELS);
        const isAlike = Math.abs(level - parseInt(digit, LEVELS)) <= ALIKE;
        differing += isAlike ? 0 : 1;
        return isAlike ? digit : '#';
      })
      .join(''),
  );
  const cells = now.reduce((count, line) => count + line.length, 0);
  return { share: differing / cells, marked };
}
