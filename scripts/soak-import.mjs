// `npm run soak:import [-- EVENTS [PROFILE]]`: whether an import slows down as it grows. The generator writes into a pipe, so
// that no disk has to hold the log; the rate of the last tenth is compared with that of the second.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { buildTools } from './measure.mjs';
import { program } from './paths.mjs';
import { Stop, main, say } from './run.mjs';

const events = Number(process.argv[2] ?? 20_000_000);
const profile = process.argv[3] ?? 'fields';
/** The last tenth has at least this share of the second tenth's rate. */
const least = 0.95;

/** When each tenth was imported: in wall-clock seconds and in CPU seconds of all stages. */
async function tenths(progress) {
  const found = [];
  for await (const line of createInterface({ input: progress })) {
    if (!line.startsWith('{')) continue;
    const at = JSON.parse(line);
    // Reports come ten times per second, so a tenth can end between two of them.
    while (found.length < 10 && at.events >= (events / 10) * (found.length + 1)) {
      found.push({ events: at.events, seconds: at.seconds, cpu: at.cpu_seconds });
    }
  }
  return found;
}

await main(async () => {
  await buildTools();
  const home = mkdtempSync(join(tmpdir(), 'timberline-soak-'));
  try {
    const generate = spawn(program('generate', 'release'), ['access', String(events)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const options = ['--profile', profile, '--progress', 'json', '--json'];
    const timberline = spawn(
      program('timberline', 'release'),
      ['import', join(home, 'soak.case'), '-', ...options],
      { stdio: [generate.stdout, 'pipe', 'pipe'] },
    );
    let report = '';
    timberline.stdout.on('data', (text) => (report += text));
    const found = await tenths(timberline.stderr);
    if (found.length < 10) throw new Stop(`only ${found.length} tenths were read`);
    const rate = (last, clock) => {
      const [from, to] = [found[last - 1], found[last]];
      return (to.events - from.events) / (to[clock] - from[clock]);
    };
    const rows = ['seconds', 'cpu'].map((clock) => ({
      'events per second of': clock === 'cpu' ? 'CPU' : 'the clock',
      'second tenth': Math.round(rate(1, clock)),
      'last tenth': Math.round(rate(9, clock)),
      ratio: (rate(9, clock) / rate(1, clock)).toFixed(3),
    }));
    console.table(rows);
    const peak = JSON.parse(report).peak_rss_bytes;
    say(`${events} events, profile ${profile}, ${(peak / 1e6).toFixed(0)} MB of memory at most`);
    // Other programs on the machine affect wall-clock time but not the CPU time of this one.
    if (Number(rows[1].ratio) < least) {
      throw new Stop(`the last tenth has less than ${least} of the rate of the second`);
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
