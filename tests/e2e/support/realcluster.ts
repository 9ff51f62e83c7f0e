/** A journey through a real cluster, the same in each host. `npm run test:remote -- --journeys` names its address. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { test } from 'vitest';

import { opened } from './capabilities';
import { shopEvent } from './cluster';
import type { Host } from './journeys';
import { eventually, temporaryFolder, timberline } from './machine';
import { byId } from './screen';

const EVENTS = 6_000;
const cluster = process.env.TIMBERLINE_TEST_CLUSTER;

export function realCluster(host: Host): void {
  if (!cluster) return;
  const index = `journey-${host.name}`;
  const home = temporaryFolder();
  const folder = join(home, 'shop.case');

  test('a case is pushed to a real cluster, and asked there', async () => {
    const run = (...words: string[]) =>
      execFileSync(timberline, words, { env: { ...process.env, TIMBERLINE_HOME: home } });
    const all = Array.from({ length: EVENTS }, (_, at) => shopEvent(at));
    const refused = all.filter(({ service, status }) => service === 'cart' && status === 500);
    const log = join(home, 'shop.ndjson');
    writeFileSync(log, all.map((event) => JSON.stringify(event)).join('\n'));
    run('import', folder, log);
    run('remote', 'add', 'prod', cluster, '--index', index);
    run('push', folder, '*', '--to', 'remote:prod', '--index', index);
    try {
      await opened(host, 'remote:prod', home, async (screen, check) => {
        await screen.totalBecomes(EVENTS);
        await screen.shown(byId('remote-mark'), 'prod');
        await screen.shown(byId('row'), 'request 0 to upstream');
        await screen.shown(`${byId('timeline')}[data-total="${EVENTS}"]`);
        await screen.query('service:cart status:500');
        await screen.totalBecomes(refused.length);
        const first = `${byId('row')}[data-index="0"]`;
        await screen.shown(first, 'request 3 to upstream');
        await screen.click(first);
        await eventually('the fields of the event', async () =>
          (await screen.text(byId('detail')))?.includes('cart'),
        );
        await check('cluster-events');
        await screen.query('* | stats count as events, p95(status) by service');
        await screen.shown(byId('result'), (EVENTS / 3).toLocaleString('en'));
        await check('cluster-table');
        await screen.query('*');
        await screen.click(byId('tab-patterns'));
        await screen.shown(byId('pattern'));
        await check('cluster-patterns');
      });
      await opened(host, folder, home, async (screen, check) => {
        await screen.totalBecomes(EVENTS);
        await screen.click(byId('connect'));
        await screen.click('[role="menuitem"]', 'Show with a cluster…');
        await screen.click(byId('show-with'));
        await screen.totalBecomes(2 * EVENTS);
        await screen.shown(`${byId('timeline')}[data-laned="true"]`);
        await screen.shown(byId('row'), 'request 0 to upstream');
        await check('cluster-together');
      });
    } finally {
      await fetch(`${cluster}/${index}`, { method: 'DELETE' });
    }
  });
}
