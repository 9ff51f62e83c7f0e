/** Comparisons, pictures, detectors and clusters as a person uses them, the same in each host. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { standIn } from './cluster';
import type { Host, Opened } from './journeys';
import { eventually, out, temporaryFolder, timberline } from './machine';
import { byId, type Screen } from './screen';

const REQUESTS = 600;
const STEPS = ['gateway', 'shop', 'payment'];
/** From the middle of the log on, each tenth payment is refused. */
const REFUSED = REQUESTS / 2 / 10;
const DOCUMENTS = 600;

/** Requests that pass through three services. */
function shopLog(): string {
  const lines = Array.from({ length: REQUESTS }, (_, request) =>
    STEPS.map((service, step) => {
      const isRefused = service === 'payment' && request >= REQUESTS / 2 && request % 10 === 3;
      return JSON.stringify({
        time: new Date(Date.UTC(2026, 2, 1, 14) + request * 3_000 + step * 20).toISOString(),
        level: isRefused ? 'error' : 'info',
        service,
        trace_id: (request * 0x9e3779b1).toString(16).padStart(12, 'a'),
        message: isRefused ? `payment of order ${request} refused` : `${service} works`,
      });
    }),
  );
  const path = join(temporaryFolder(), 'shop.jsonl');
  writeFileSync(path, `${lines.flat().join('\n')}\n`);
  return path;
}

function documents(): Record<string, unknown>[] {
  return Array.from({ length: DOCUMENTS }, (_, at) => ({
    '@timestamp': new Date(Date.UTC(2026, 2, 1) + at * 700).toISOString(),
    level: at % 4 === 3 ? 'error' : 'info',
    service: ['cart', 'payment', 'search'][at % 3],
    status: at % 4 === 3 ? 500 : 200,
    message: `request ${at} to upstream`,
  }));
}

type Use = (screen: Screen, check: (name: string) => Promise<void>) => Promise<void>;

/** Opens files or a case in a host; `check` takes a picture and looks for what axe finds. */
export async function opened(host: Host, path: string, home: string, use: Use): Promise<void> {
  const one: Opened = await host.open(path, home);
  const check = async (name: string) => {
    writeFileSync(join(out, `${host.name}-${name}.png`), await one.screen.hands.screenshot());
    expect(await one.findings()).toEqual([]);
  };
  try {
    await use(one.screen, check);
  } finally {
    await one.stop();
  }
}

export function capabilities(host: Host): void {
  test('halves are compared, drawn, mapped, and watched by a detector', () =>
    opened(host, shopLog(), temporaryFolder(), async (screen, check) => {
      const all = REQUESTS * STEPS.length;
      await screen.totalBecomes(all);
      await screen.shown(`${byId('import-panel')}[data-active="false"]`);

      await screen.click(byId('tab-compare'));
      await screen.click(byId('start-halves'));
      await screen.shown(`${byId('compare-state')}[data-fraction="1"]`);
      const fresh = `${byId('compared')}[data-change="new"]`;
      await screen.shown(fresh, 'refused');
      await check('compared');
      await screen.click(`${fresh} ${byId('compared-b')}`);
      await screen.totalBecomes(REFUSED);
      await screen.click(byId('undo'));
      await screen.totalBecomes(all);

      await screen.click(byId('tab-patterns'));
      await screen.click(byId('patterns-as-seismograph'));
      await screen.shown(`${byId('seismograph')}[data-rows="4"]`);
      await screen.shown(byId('seismograph-sum'), '1 starts');
      await check('seismograph');

      await screen.click(byId('tab-map'));
      await screen.chooseField('map-node', 'service');
      await screen.shown(`${byId('service-map')}[data-edges="2"]`);
      await screen.shown(byId('map-edge'), 'shop → payment');
      await check('map');

      await screen.query('level:error');
      await screen.totalBecomes(REFUSED);
      await screen.click(byId('tab-detectors'));
      await screen.click(byId('new-detector'));
      await screen.click(byId('form-above'));
      await screen.hands.press('Control+a');
      await screen.hands.type('0.5');
      await screen.hands.press('Enter');
      await screen.shown(`${byId('sentence')}:not([data-alerts="0"])`);
      await check('back-test');
      await screen.click(byId('save-detector'));
      await screen.shown(byId('detector-state'), 'saved');
      await screen.shown(byId('alert-flag'));
    }));

  test('a cluster opens like a case', async () => {
    const cluster = await standIn(documents());
    try {
      const home = temporaryFolder();
      const added = ['remote', 'add', 'prod', cluster.url, '--index', 'logs-*'];
      execFileSync(timberline, added, { env: { ...process.env, TIMBERLINE_HOME: home } });
      await opened(host, 'remote:prod', home, async (screen, check) => {
        await screen.totalBecomes(DOCUMENTS);
        await screen.shown(byId('remote-mark'), 'prod');
        await screen.shown(byId('row'), 'request 0 to upstream');
        await screen.shown(`${byId('timeline')}[data-total="${DOCUMENTS}"]`);
        await screen.query('service:cart status:500');
        await screen.totalBecomes(DOCUMENTS / 12);
        const first = `${byId('row')}[data-index="0"]`;
        await screen.shown(first, 'request 3 to upstream');
        await screen.click(first);
        await eventually('the fields of the event', async () =>
          (await screen.text(byId('detail')))?.includes('cart'),
        );
        await check('remote');
        // A sheet as high as its content shows all of it.
        await screen.click(byId('remote-mark'));
        await screen.click(byId('test-remote'));
        await screen.shown(byId('remote-tested'), 'Elasticsearch');
      });
    } finally {
      await cluster.stop();
    }
  });
}
