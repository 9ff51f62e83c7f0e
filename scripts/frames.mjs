// Frame times in a browser. `node scripts/frames.mjs CASE-OR-LOGS…` measures them while the timeline is brushed, as
// `npm run bench` does if TIMBERLINE_FRAMES names a case or a log. `--seismograph` measures them while the seismograph is
// scrolled, brushed and zoomed, and `--differs` how soon a selected range says what differs in it. `--live` needs no case: it
// builds what it takes unless `--no-build` is given, and measures them while a case receives 20,000 events a second and *Live* is
// on. `--dev` takes the development build.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

import { chromium as browsers } from 'playwright-core';

import { chromium } from './packages.mjs';
import { program } from './paths.mjs';
import { Receiver, build, load } from './receiving.mjs';
import { Stop, main, say } from './run.mjs';

/** The budget of a frame at 60 frames per second. */
export const FRAME_MS = 1000 / 60;
/** Browsers round the times of frames; a frame that is longer by this much was on time. */
const ROUNDED_MS = 0.5;
/** From here on browsers call a frame long. */
const LONG_MS = 50;
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

const ZOOMS = 5;
const SCROLL_PX = 120;

/** Scrolls over the rows of the seismograph, brushes over it, and zooms in and out again; reports each frame. */
export async function framesOfSeismograph(page, moves = MOVES) {
  await page.keyboard.press('Alt+3');
  await page.getByTestId('patterns-as-seismograph').click();
  await page.waitForFunction(
    () => Number(document.querySelector('[data-testid="seismograph"]')?.dataset.rows ?? 0) > 0,
    undefined,
    { timeout: IMPORT_MS },
  );
  const loaded = page.locator('[data-testid="seismograph"][data-fraction="1"]');
  await loaded.waitFor({ timeout: IMPORT_MS });
  const rows = Number(await loaded.getAttribute('data-rows'));
  const grid = page.getByTestId('seismograph-grid');
  const box = await grid.boundingBox();
  if (box === null) throw new Stop('there is no seismograph on the page');
  const label = Number(await grid.getAttribute('data-label'));
  const at = (share) => [box.x + label + (box.width - label) * share, box.y + box.height / 2];
  await page.mouse.move(...at(0.5));
  await page.evaluate(watchFrames);
  for (let move = 0; move < moves; move += 1) {
    await page.mouse.wheel(0, SCROLL_PX * (Math.floor(move / 40) % 2 === 0 ? 1 : -1));
  }
  for (let zoom = 0; zoom < ZOOMS; zoom += 1) {
    await page.mouse.move(...at(0.3));
    await page.mouse.down();
    await page.mouse.move(...at(0.7), { steps: 40 });
    await page.mouse.up();
    await loaded.waitFor();
    await page.keyboard.press('Control+z');
    await loaded.waitFor();
  }
  return { rows, ...frameFigures(await page.evaluate(() => window.watchedFrames.stop())) };
}

const SELECTIONS = 5;

/** Runs in the page before the button is released over the timeline: when the first row was drawn, and when the last was. */
function watchDifference() {
  window.watchedDifference = new Promise((done) => {
    addEventListener(
      'pointerup',
      () => {
        const began = performance.now();
        let first = null;
        requestAnimationFrame(function frame() {
          const panel = document.querySelector('[data-testid="difference"]');
          const has = (id) => (panel?.querySelector(`[data-testid="${id}"]`) ?? null) !== null;
          const now = performance.now() - began;
          if (has('difference-row')) first ??= now;
          const isDone = has('difference-row') || has('no-difference');
          if (isDone && panel.getAttribute('aria-busy') === 'false') done({ first, complete: now });
          else requestAnimationFrame(frame);
        });
      },
      { capture: true, once: true },
    );
  });
}

/** Selects ranges of the timeline, and reports how soon each says what differs from the rest of the time. */
export async function timesOfDifferences(page) {
  const box = await page.getByTestId('timeline-canvas').boundingBox();
  if (box === null) throw new Stop('there is no timeline on the page');
  const y = box.y + box.height / 2;
  const [first, complete] = [[], []];
  for (let selection = 0; selection < SELECTIONS; selection += 1) {
    const from = 0.15 + 0.1 * selection;
    await page.mouse.move(box.x + box.width * from, y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * (from + 0.15), y, { steps: 10 });
    await page.evaluate(watchDifference);
    await page.mouse.up();
    const times = await page.evaluate(() => window.watchedDifference);
    complete.push(times.complete);
    if (times.first !== null) first.push(times.first);
    // The range is taken back, so that the next one is selected in the whole time.
    await page.keyboard.press('Control+z');
    await page.getByTestId('difference').waitFor({ state: 'detached' });
  }
  return {
    ranges: SELECTIONS,
    'with rows': first.length,
    'first row p50 ms': Math.round(percentile(first, 0.5)),
    'first row max ms': Math.round(percentile(first, 1)),
    'complete p50 ms': Math.round(percentile(complete, 0.5)),
    'complete max ms': Math.round(percentile(complete, 1)),
  };
}

const LIVE_RATE = 20_000;
const LIVE_MS = 10_000;

/** Runs in the page: whether the newest event of the list is drawn. */
function isAtEnd() {
  const total = Number(document.querySelector('[data-testid="events"]')?.dataset.total ?? 0);
  const last = document.querySelector(`[data-testid="row"][data-index="${total - 1}"]`);
  return last !== null && !last.hasAttribute('aria-label');
}

/** Runs in the page until `watchedRows.isOn` is false: counts the frames with a row in sight that is not loaded. */
function watchRows() {
  const watched = { isOn: true, empty: 0 };
  const list = document.querySelector('[data-testid="events"]');
  const isSeen = (row) => {
    const [box, { top, bottom }] = [row.getBoundingClientRect(), list.getBoundingClientRect()];
    return box.bottom > top && box.top < bottom;
  };
  requestAnimationFrame(function frame() {
    if (!watched.isOn) return;
    const empty = [...list.querySelectorAll('[data-testid="row"][aria-label]')];
    const hasRows = list.querySelector('[data-testid="row"]') !== null;
    if (!hasRows || empty.some(isSeen)) watched.empty += 1;
    requestAnimationFrame(frame);
  });
  window.watchedRows = watched;
}

/** Shows the last minute, which slides every second, and reports each frame while the list follows its end. */
export async function framesWhileLive(page) {
  const newest = () => page.getByTestId('events').getAttribute('data-total');
  await page.getByTestId('live-length').click();
  await page.getByTestId('live-length-1m').click();
  await page.waitForFunction(isAtEnd, undefined, { timeout: IMPORT_MS });
  const before = await newest();
  await page.evaluate(watchRows);
  await page.evaluate(watchFrames);
  await page.waitForTimeout(LIVE_MS);
  const { times } = await page.evaluate(() => window.watchedFrames.stop());
  const empty = await page.evaluate(() => {
    window.watchedRows.isOn = false;
    return window.watchedRows.empty;
  });
  if ((await newest()) === before) throw new Stop('no events were appended to the list');
  return { ...timesOfFrames(times), 'with empty rows': empty };
}

/** Receives into a case while it is shown; gives the frames, and how much was sent. */
async function measureLive(profile) {
  const home = mkdtempSync(join(tmpdir(), 'timberline-live-'));
  let [receiver, sending] = [null, null];
  try {
    receiver = await Receiver.start(home, profile, ['--syslog', 'tcp://127.0.0.1:0']);
    sending = load(profile, ['--tcp', receiver.address('syslog/tcp')], LIVE_RATE, 3_600);
    await receiver.until('events are visible', () => receiver.events() > 0);
    const frames = await measureFrames([receiver.folder], framesWhileLive, profile);
    sending.stop();
    const { sent, seconds } = await sending.ended;
    await receiver.stop();
    return { 'events/s': Math.round(sent / seconds), ...frames };
  } finally {
    const ended = sending?.ended.catch(() => {});
    sending?.stop();
    await receiver?.kill();
    await ended;
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

const ms = (/** @type {number} */ value) => Number(value.toFixed(1));

/** Statistics of the times between frames. */
function timesOfFrames(times) {
  const late = times.filter((time) => time > FRAME_MS + ROUNDED_MS).length;
  return {
    frames: times.length,
    'p50 ms': ms(percentile(times, 0.5)),
    'p95 ms': ms(percentile(times, 0.95)),
    'p99 ms': ms(percentile(times, 0.99)),
    'max ms': ms(percentile(times, 1)),
    'over 16.7 ms': `${((100 * late) / times.length).toFixed(1)} %`,
    'over 50 ms': times.filter((time) => time > LONG_MS).length,
  };
}

/** Statistics of frames, in milliseconds. */
export function frameFigures({ times, work }) {
  return {
    ...timesOfFrames(times),
    'work p50 ms': ms(percentile(work, 0.5)),
    'work p95 ms': ms(percentile(work, 0.95)),
    'work max ms': ms(percentile(work, 1)),
  };
}

/** Opens cases or logs in a browser, waits until they are complete, and measures. */
export async function measureFrames(
  paths,
  measure = async (page) => frameFigures(await framesWhileBrushing(page)),
  profile = 'release',
) {
  const executablePath = chromium();
  if (executablePath === null) throw new Stop('Chromium was not found; set CHROMIUM to its path');
  const home = mkdtempSync(join(tmpdir(), 'timberline-frames-'));
  const env = { ...process.env, TIMBERLINE_HOME: home };
  const stdio = ['ignore', 'pipe', 'inherit'];
  const server = spawn(program('timberline', profile), ['serve', ...paths], { env, stdio });
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
    return { events, ...(await measure(page)) };
  } finally {
    await browser.close();
    server.kill();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await main(async () => {
    const has = (option) => process.argv.includes(option);
    const profile = has('--dev') ? 'debug' : 'release';
    if (has('--live')) {
      if (!has('--no-build')) await build(profile);
      console.table([await measureLive(profile)]);
      say('Times between frames while events are appended and the range slides.');
      return;
    }
    const paths = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
    if (paths.length === 0) throw new Stop('Name a case or logs: node scripts/frames.mjs CASE');
    if (has('--differs')) {
      console.table([await measureFrames(paths, timesOfDifferences, profile)]);
      say('From the end of a brush until its first difference is drawn, and until all are.');
      return;
    }
    const measure = has('--seismograph') ? framesOfSeismograph : undefined;
    console.table([await measureFrames(paths, measure, profile)]);
    const what = has('--seismograph')
      ? 'seismograph is scrolled and zoomed'
      : 'timeline is brushed';
    say(`Times between frames while the ${what}, and the work that each takes.`);
  });
}
