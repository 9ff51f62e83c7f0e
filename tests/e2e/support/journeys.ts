/** The three journeys that every change is checked against, the same in each host. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { percentile } from '../../../scripts/frames.mjs';
import { eventually, figure, out, temporaryFolder, timberline } from './machine';
import { million, mixed, type Material } from './material';
import { kinds, measureInput } from './paint';
import { byId, type Screen } from './screen';

/** A window or a page with files or a case. */
export interface Opened {
  screen: Screen;
  /** Accessibility findings of the current screen, if the host can report them. */
  findings(): Promise<string[]>;
  stop(): Promise<void>;
}

export interface Host {
  name: 'browser' | 'window';
  open(path: string, home: string): Promise<Opened>;
}

/** A delay that people do not notice; required for nearly every input. */
const WANTED_MS = 50;
/** The limits on a busy machine, for the median and the 95th percentile. */
const MEDIAN_LIMIT_MS = 2 * WANTED_MS;
const P95_LIMIT_MS = 8 * WANTED_MS;
/** The longest delay, on a busy machine. */
const IMPORT_MS = 180_000;
const INPUT_MS = 120_000;
const TITLE = 'What happened';
const CAUSE = 'The bank did not answer, so the shop did not either.';

export function journeys(host: Host): void {
  describe.each([
    { name: 'a mixed folder', make: mixed },
    { name: 'a million lines', make: million },
  ])('$name', ({ make }) => {
    const material = make();
    const home = temporaryFolder();
    let opened: Opened;
    let screen: Screen;

    beforeAll(async () => {
      opened = await host.open(material.path, home);
      screen = opened.screen;
    });

    afterAll(() => opened.stop());

    const check = async (name: string) => {
      // The number of events and the host make little difference to accessibility findings.
      const isLooked = host.name === 'browser' || name === 'handed-over';
      if (make === mixed && isLooked) expect(await opened.findings()).toEqual([]);
      const place = `journey-${host.name}-${material.events}-${name}.png`;
      writeFileSync(join(out, place), await screen.hands.screenshot());
    };

    test('what happened at that time', { timeout: IMPORT_MS }, async () => {
      await imported(screen, material);
      await screen.shown(`${byId('timeline')}:not([data-buckets="0"])`);
      await check('imported');
      await closeImport(screen);
      await happened(screen, material, check);
    });

    test('is it slower than before', () => slower(screen, material, check));

    if (make === million)
      // Retried if the machine was busy at that moment; code that is too slow stays too slow.
      test(
        'each key and each mouse move is answered at once',
        { retry: 2, timeout: INPUT_MS },
        () => answersAtOnce(host, screen),
      );

    test('export it', async () => {
      const html = await written(screen, check);
      const sha256 = createHash('sha256').update(readFileSync(material.evidence)).digest('hex');
      expect(html).toContain(sha256);
      expect(html).toContain(CAUSE);
      expect(html).not.toContain('<script');
      await opened.stop();

      // A colleague has the folder and nothing else.
      const handed = join(temporaryFolder(), 'handed over.case');
      cpSync(caseFolder(home), handed, { recursive: true });
      auditorIsSatisfied(handed, material);
      opened = await host.open(handed, temporaryFolder());
      screen = opened.screen;
      await screen.totalBecomes(material.events);
      await screen.click(byId('tab-notes'));
      await screen.shown(byId('annotation'), '★');
      await screen.shown(byId('page'), TITLE);
      await screen.click(byId('annotation'), '★');
      await screen.shown(`${byId('star')}[aria-pressed="true"]`);
      await check('handed-over');
    });
  });
}

async function imported(screen: Screen, material: Material): Promise<void> {
  await screen.totalBecomes(material.events, IMPORT_MS);
  await screen.shown(`${byId('import-panel')}[data-active="false"]`, '', IMPORT_MS);
  if (material.refused !== null) await screen.shown(byId('import-panel'), material.refused);
}

async function closeImport(screen: Screen): Promise<void> {
  await screen.click(`${byId('import-panel')} button`, 'Dismiss');
  await screen.gone(byId('import-panel'));
}

/** Brush the spike, click an error, see its neighbours, follow its id, star the evidence. */
async function happened(
  screen: Screen,
  material: Material,
  check: (name: string) => Promise<void>,
): Promise<void> {
  const { spike, follow } = material;
  await screen.drag(byId('timeline-canvas'), spike.from, spike.to);
  await screen.totalBetween(spike.least, spike.most);
  await screen.shown(byId('range-clear'));
  await screen.listed();

  await screen.click(`${byId('row')}[data-index="0"]`);
  const selected = `${byId('row')}.selected`;
  const detail = byId('detail');
  for (let error = 1; error <= material.error; error += 1) {
    const before = await screen.attribute(selected, 'data-index');
    await screen.hands.press('e');
    await eventually('the next error', async () => {
      const now = await screen.attribute(selected, 'data-index');
      return now !== null && now !== before;
    });
  }
  await screen.shown(detail, 'Error');
  // The last used tab is remembered.
  await screen.click(byId('detail-tab-table'));
  const value = `${byId('field')}[data-name="${follow.field}"]`;
  await screen.shown(value, follow.value ?? '');
  await check('error');

  await screen.click(byId('around'));
  const sources = (css: string) =>
    screen.hands.run<string[]>(
      `const all = [...document.querySelectorAll(arguments[0])];
       return [...new Set(all.map((each) => each.dataset.source))];`,
      css,
    );
  await screen.shown(byId('trail-event'));
  await screen.click(byId('around-everywhere'));
  await eventually('its neighbours', async () => {
    const found = await sources(byId('trail-event'));
    return found.length >= material.neighbours;
  });
  await check('around');

  await screen.hover(`${value} .value`);
  await screen.click(`${byId('value-tools')} [data-action="more"]`);
  await screen.click(byId('value-follow'));
  await eventually(`the trail in ${follow.sources.join(', ')}`, async () => {
    const found = await sources(byId('trail'));
    return follow.sources.every((source) => found.some((each) => each.endsWith(source)));
  });
  await screen.shown(byId('trail-event'));
  await check('followed');

  await screen.click(byId('star'));
  await screen.shown(`${byId('star')}[aria-pressed="true"]`);
  await screen.click(byId('tab-events'));
  await screen.shown(selected, '★');
  await screen.click(byId('range-clear'));
  await screen.totalBecomes(material.events);
}

/** A field as a heatmap, as percentiles with a split, with the previous period, and exported. */
async function slower(
  screen: Screen,
  material: Material,
  check: (name: string) => Promise<void>,
): Promise<void> {
  const { measure } = material;
  const choose = (what: string, value: string) => screen.choose(byId(`chart-${what}`), value);
  const drawn = (shape: string) =>
    screen.shown(`${byId('chart')}[data-shape="${shape}"][data-busy="false"][data-fraction="1"]`);
  await screen.click(byId('tab-charts'));
  await screen.chooseField('chart-field', measure.field);
  await choose('kind', 'heatmap');
  await drawn('heat');
  await screen.shown(byId('legend'), 'p95');
  await check('heatmap');

  await choose('kind', 'lines');
  await choose('measure', 'p50');
  await screen.chooseField('chart-split', measure.split);
  await drawn('time');
  for (const each of measure.values) await screen.shown(byId('legend'), each);
  await screen.drag(byId('chart-canvas'), 0.62, 0.95);
  await screen.shown(byId('range-clear'));
  await choose('compare', 'previous');
  await drawn('time');
  await screen.shown(byId('compared'), measure.change ?? '');
  await check('compared');

  const csv = await screen.hands.saved(async () => {
    await screen.click(byId('chart-export'));
    await screen.click(byId('chart-export-csv'));
  });
  for (const each of measure.values) expect(csv.toString()).toContain(each);
  await screen.click(byId('range-clear'));
  await screen.totalBecomes(material.events);

  const { field, split } = measure;
  const stats = `${split}=* | stats count, p50(${field}) as half, p95(${field}) as slow by ${split}`;
  await screen.query(stats);
  await screen.shown(`${byId('result')}[data-fraction="1"]`);
  for (const row of measure.rows) {
    const cells = row.split('\t');
    await eventually(`the row ${cells.join(' ')}`, async () => {
      const rows = await screen.hands.run<string[]>(
        `return [...document.querySelectorAll(arguments[0])].map((row) => row.innerText);`,
        byId('result-row'),
      );
      return rows.some((each) => each.split(/\s+/).join('\t').includes(row));
    });
  }
  await check('table');
  if (measure.rows.length > 0) await takenAway(screen);
  await screen.query('');
  await screen.totalBecomes(material.events);
}

/** The table as a script reads it, and the lines as an image. */
async function takenAway(screen: Screen): Promise<void> {
  const parquet = await screen.hands.saved(async () => {
    await screen.click(byId('result-export'));
    await screen.click(byId('result-export-parquet'));
  });
  expect(parquet.subarray(0, 4).toString()).toBe('PAR1');
  await screen.click(byId('result-as-chart'));
  const png = await screen.hands.saved(async () => {
    await screen.click(byId('chart-export'));
    await screen.click(byId('chart-export-png'));
  });
  expect(png.subarray(1, 4).toString()).toBe('PNG');
}

/** Writes a page that shows the evidence, and exports it as one file. */
async function written(screen: Screen, check: (name: string) => Promise<void>): Promise<string> {
  await screen.click(byId('tab-notes'));
  await screen.shown(byId('annotation'), '★');
  await screen.click(byId('new-page'));
  await screen.click(byId('page-title'));
  await screen.hands.press('Control+a');
  await screen.hands.type(TITLE);
  await screen.click(`${byId('page-text')}`);
  await screen.hands.type(CAUSE);
  await screen.shown(byId('page-preview'), CAUSE);
  await screen.shown(byId('page'), TITLE);
  await eventually('a saved page', async () => (await screen.text(byId('page-state'))) === 'saved');
  await check('page');
  const html = await screen.hands.saved(() => screen.click(byId('export-html')));
  return html.toString();
}

function caseFolder(home: string): string {
  const names = readdirSync(home, { recursive: true, encoding: 'utf8' });
  const found = names.find((name) => name.endsWith('.case'));
  if (!found) throw new Error(`no case below ${home}`);
  return join(home, found);
}

/** Every byte is stored as it was read, and a script reads the columns. */
function auditorIsSatisfied(folder: string, material: Material): void {
  const run = (...args: string[]) => execFileSync(timberline, args, { encoding: 'utf8' });
  run('verify', folder);
  expect(Number(run('query', folder, '', '--count'))).toBe(material.events);
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const columns = names.filter((name) => name.endsWith('.parquet'));
  expect(columns.length).toBeGreaterThan(0);
  for (const each of columns)
    expect(readFileSync(join(folder, each)).subarray(0, 4).toString()).toBe('PAR1');
}

async function answersAtOnce(host: Host, screen: Screen): Promise<void> {
  await screen.click(byId('tab-events'));
  for (const kind of kinds) {
    const times = await measureInput(screen, kind);
    const [median, p95] = [percentile(times, 0.5), percentile(times, 0.95)];
    const lines = [median, p95].map((ms) => `${ms.toFixed(1)} ms`);
    figure(
      `Input to paint, ${kind.name}, a million events, in the ${host.name}: median ${lines[0]}, ` +
        `95th percentile ${lines[1]} of ${times.length} (wanted: under ${WANTED_MS} ms)`,
    );
    expect(median).toBeLessThan(MEDIAN_LIMIT_MS);
    expect(p95).toBeLessThan(P95_LIMIT_MS);
  }
}
