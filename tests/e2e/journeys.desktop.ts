/** The journeys in the real window, on a display of its own. */
import axe from 'axe-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { capabilities } from './support/capabilities';
import type { Display } from './support/display';
import { openDisplay } from './support/display';
import { dropFiles } from './support/drop';
import { journeys, type Host } from './support/journeys';
import { eventually, figure, temporaryFolder, window } from './support/machine';
import { realCluster } from './support/realcluster';
import { byId, Screen } from './support/screen';
import { openApp, type App } from './support/webdriver';
import { windowHands } from './support/window';

/** Limit for the time from start to first paint. */
const FIRST_PAINT_MS = 1_000;

let display: Display;

beforeAll(async () => {
  display = await openDisplay();
});

afterAll(() => display.stop());

const openWindow = (home: string, ...paths: string[]): Promise<App> =>
  openApp(window, paths, { DISPLAY: display.name, TIMBERLINE_HOME: home });

const host: Host = {
  name: 'window',
  async open(path, home) {
    const isLog = !path.endsWith('.case') && !path.startsWith('remote:');
    const app = await openWindow(home, ...(isLog ? [] : [path]));
    const screen = new Screen(windowHands(app, display.name));
    if (isLog) {
      await screen.shown(byId('welcome'));
      await dropFiles(display.name, [path]);
    }
    return { screen, findings: () => findings(app), stop: () => app.close() };
  },
};

journeys(host);
capabilities(host);
realCluster(host);

test('the window is up soon after the start', async () => {
  const began = Date.now();
  const app = await openWindow(temporaryFolder());
  try {
    const painted = await eventually('the first paint', () =>
      app.run<number | null>(
        `const first = performance.getEntriesByName('first-contentful-paint')[0];
         return first ? performance.timeOrigin + first.startTime : null;`,
      ),
    );
    const elapsed = painted - began;
    figure(
      `Start to first paint in the window: ${elapsed.toFixed(0)} ms, the driver's start included ` +
        `(wanted: under ${FIRST_PAINT_MS} ms)`,
    );
    expect(elapsed).toBeLessThan(4 * FIRST_PAINT_MS);
  } finally {
    await app.close();
  }
});

/** Serious axe findings in the window. The result is fetched later, because it takes some time. */
async function findings(app: App): Promise<string[]> {
  await app.run(
    `${axe.source}; window.found = null;
     window.axe.run().then(({ violations }) => {
       window.found = violations
         .filter(({ impact }) => impact === 'serious' || impact === 'critical')
         .map(({ id, help, nodes }) => id + ': ' + help + ': ' + nodes.map((node) => node.html).join(' '));
     });`,
  );
  return eventually('what axe finds', () => app.run<string[] | null>('return window.found;'));
}
