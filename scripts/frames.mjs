// Frame times while the timeline is brushed. `node scripts/frames.mjs CASE-OR-LOGS…` measures them
// in a browser; `npm run bench` does so if TIMBERLINE_FRAMES names a case or a log.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

import { chromium as browsers } from 'playwright-core';

import { chromium } from './packages.mjs';
import { program } from './paths.mjs';
import { Stop, main, say } from './run.mjs';

/** The budget of a frame at 60 frames per second. */
export const FRAME_MS = 1000 / 60;
/** Browsers round the times of frames; a frame that is longer by this much was on time. */
const ROUNDED_MS = 0.5;
const MOVES = 600;
const IMPORT_MS = 900_000;

/** The smallest value that this share of the values does not exceed. */
export function percentile(/** @type {readonly number[]} */ values, /** @type {number} */ share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/**
 * Runs in the page until `watched.stop` is called. `times` are the times between frames; `work` is
 * the main-thread time of each frame, from the first mouse move that it answers until it is drawn.
 */
function watchFrames() {
  const watched = { times: [], work: [], stop };
  let isOn = true;
  let before = null;
  let began = null;
  const begin = () => (began ??= performance.now());
  const how = { capture: true, passive: true };
  addEventListener('pointermove', begin, how);
  // A message arrives after the frame in which it was sent has been drawn.
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    if (began !== null) watched.work.push(performance.now() - began);
    began = null;
  };
  requestAnimationFrame(function frame(now) {
    if (!isOn) return;
    if (before !== null) watched.times.push(now - before);
    before = now;
    begin();
    port2.postMessage(null);
    requestAnimationFrame(frame);
  });
  function stop() {
    isOn = false;
    removeEventListener('pointermove', begin, how);
    return { times: watched.times, work: watched.work };
  }
  Object.assign(window, { watchedFrames: watched });
}

/** Brushes back and forth over the timeline of a page and reports each frame. */
export async function framesWhileBrushing(page, moves = MOVES) {
  const box = await page.getByTestId('timeline-canvas').boundingBox();
  if (box === null) throw new Stop('there is no timeline on the page');
  const y = box.y + box.height / 2;
  const spoken = () =>
    page.getByTestId('timeline').getByRole('slider').getAttribute('aria-valuetext');
  const before = await spoken();
  await page.mouse.move(box.x + box.width * 0.1, y);
  await page.mouse.down();
  await page.evaluate(watchFrames);
  for (let move = 0; move < moves; move += 1) {
    const share = 0.1 + 0.8 * Math.abs(Math.sin(move / 40));
    await page.mouse.move(box.x + box.width * share, y);
  }
  const frames = await page.evaluate(() => window.watchedFrames.stop());
  if ((await spoken()) === before) throw new Stop('the timeline was not brushed');
  // A brush that is cancelled filters nothing.
  await page.keyboard.press('Escape');
  await page.mouse.up();
  return frames;
}

/** Statistics of frames, in milliseconds. */
export function frameFigures({ times, work }) {
  const late = times.filter((time) => time > FRAME_MS + ROUNDED_MS).length;
  const ms = (value) => Number(value.toFixed(1));
  return {
    frames: times.length,
    'p50 ms': ms(percentile(times, 0.5)),
    'p95 ms': ms(percentile(times, 0.95)),
    'max ms': ms(percentile(times, 1)),
    'over 16.7 ms': `${((100 * late) / times.length).toFixed(1)} %`,
    'work p50 ms': ms(percentile(work, 0.5)),
    'work p95 ms': ms(percentile(work, 0.95)),
    'work max ms': ms(percentile(work, 1)),
  };
}

/** Opens cases or logs in a browser, waits until they are complete, and measures. */
export async function measureFrames(paths) {
  const executablePath = chromium();
  if (executablePath === null) throw new Stop('Chromium was not found; set CHROMIUM to its path');
  const home = mkdtempSync(join(tmpdir(), 'timberline-frames-'));
  const env = { ...process.env, TIMBERLINE_HOME: home };
  const stdio = ['ignore', 'pipe', 'inherit'];
  const server = spawn(program('timberline', 'release'), ['serve', ...paths], { env, stdio });
  const browser = await browsers.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const lines = createInterface({ input: server.stdout });
    const { value: address } = await lines[Symbol.asyncIterator]().next();
    if (address === undefined) throw new Stop(`timberline serve ${paths.join(' ')} failed`);
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(address);
    await page.waitForFunction(
      () => {
        const reading = document.querySelector('[data-testid="import-panel"][data-active="true"]');
        const timeline = document.querySelector('[data-testid="timeline"]');
        return reading === null && timeline?.dataset.fraction === '1' && timeline.dataset.total > 0;
      },
      undefined,
      { timeout: IMPORT_MS },
    );
    const events = Number(await page.getByTestId('timeline').getAttribute('data-total'));
    return { events, ...frameFigures(await framesWhileBrushing(page)) };
  } finally {
    await browser.close();
    server.kill();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await main(async () => {
    const paths = process.argv.slice(2);
    if (paths.length === 0) throw new Stop('Name a case or logs: node scripts/frames.mjs CASE');
    console.table([await measureFrames(paths)]);
    say('Times between frames while the timeline is brushed, and the work that each takes.');
  });
}
