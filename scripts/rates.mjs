// `npm run rates [-- --seconds 20 --events 600000 --udp-rate 80000 --rate 20000 --refresh-seconds 120]`: how fast `timberline
// listen` receives, and how soon a line is visible. Sender and receiver share the machine, so the CPU time of both is printed.
// `--only rsyslog,tcp,udp,follow,refresh,memory` measures some of them; `--dev --no-build` tries the script on the development build.
import { spawn } from 'node:child_process';
import {
  appendFileSync,
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { clients } from './clients.mjs';
import { hostile } from './hostile.mjs';
import { Receiver, build, cpu, load, memory, options, percentile } from './receiving.mjs';
import { Stop, main, say } from './run.mjs';

const given = options(['dev', 'no-build']);
const profile = given.dev ? 'debug' : 'release';
const seconds = Number(given.seconds ?? 20);
const events = Number(given.events ?? 600_000);
const rows = [];

/** A row of the table: what was taken, in how long, and who used the processor for it. */
function row(what, taken, took, receiver, sender, more = {}) {
  const own = cpu(receiver.pid);
  rows.push({
    what,
    events: taken,
    seconds: took.toFixed(1),
    'events/s': Math.round(taken / took),
    'receiver CPU s': own.toFixed(1),
    'sender CPU s': sender.toFixed(1),
    MB: Math.round(memory(receiver.pid, 'VmHWM')),
    ...more,
  });
}

async function withReceiver(sources, more, work) {
  const home = mkdtempSync(join(tmpdir(), 'timberline-rates-'));
  try {
    const receiver = await Receiver.start(home, profile, sources, more);
    await work(receiver, home);
    await receiver.stop();
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** rsyslog reads a file and sends it with omelasticsearch; each line has an id. */
async function rsyslog() {
  clients();
  const rsyslogd = process.env.TIMBERLINE_RSYSLOGD;
  await withReceiver(['--http', '127.0.0.1:0'], [], async (receiver, home) => {
    const log = join(home, 'app.log');
    const out = createWriteStream(log);
    for (let event = 0; event < events; event += 1) {
      const line = `10.0.${event % 251}.7 GET /api/orders/${event} answered ${200 + (event % 5)} in ${event % 1_900} ms\n`;
      if (!out.write(line)) await once(out, 'drain');
    }
    out.end();
    await once(out, 'finish');
    const [work, pid] = [join(home, 'work'), join(home, 'pid')];
    mkdirSync(work);
    const port = receiver.address('http').split(':').at(-1);
    writeFileSync(
      join(home, 'rsyslog.conf'),
      `global(workDirectory="${work}" localHostname="web-1")
module(load="imfile" mode="inotify")
module(load="omelasticsearch")
template(name="document" type="list" option.jsonf="on") {
  property(outname="@timestamp" name="timereported" dateFormat="rfc3339" format="jsonf")
  property(outname="host" name="hostname" format="jsonf")
  property(outname="severity" name="syslogseverity-text" format="jsonf")
  property(outname="program" name="programname" format="jsonf")
  property(outname="message" name="msg" format="jsonf")
}
template(name="id" type="string" string="%uuid%")
main_queue(queue.size="200000" queue.dequeueBatchSize="4000")
input(type="imfile" File="${log}" Tag="shop:" Severity="info" Facility="local0")
action(type="omelasticsearch" server="127.0.0.1" serverport="${port}" bulkmode="on" template="document" maxbytes="10m"
  searchIndex="load" searchType="" writeoperation="create" dynBulkId="on" bulkid="id" errorFile="${join(home, 'errors')}"
  queue.type="LinkedList" queue.size="200000" queue.dequeueBatchSize="4000" queue.workerThreads="2" queue.workerThreadMinimumMessages="8000"
  action.resumeRetryCount="-1" action.resumeInterval="1")
`,
    );
    const began = performance.now();
    const words = ['-n', '-f', join(home, 'rsyslog.conf'), '-i', pid];
    const child = spawn(rsyslogd, words, { stdio: 'inherit' });
    try {
      await receiver.until('all events are accepted', () => receiver.sum('accepted') >= events);
      const took = (performance.now() - began) / 1_000;
      const sender = cpu(child.pid);
      await receiver.until('all events are visible', () => receiver.events() >= events);
      row('rsyslog omelasticsearch → _bulk', events, took, receiver, sender, {
        lost: events - receiver.events(),
      });
    } finally {
      child.kill('SIGKILL');
    }
  });
}

/** What a generator sends until its time is over, and until when all of it is accepted. */
async function sent(what, kind, option, rate, expected) {
  await withReceiver([...option], [], async (receiver) => {
    const began = performance.now();
    const target = { 'syslog/tcp': '--tcp', 'syslog/udp': '--udp', http: '--http' }[kind];
    const report = await load(profile, [target, receiver.address(kind)], rate, seconds).ended;
    const dropped = () => receiver.rejected('dropped by the kernel');
    const arrived = () => receiver.sum('accepted') + dropped() >= report.sent;
    await receiver.until('all that was sent is accepted or counted as dropped', arrived, 120_000);
    const took = Math.max((performance.now() - began) / 1_000, report.seconds);
    const accepted = receiver.sum('accepted');
    await receiver.until('what was accepted is visible', () => receiver.events() >= accepted);
    const lost = report.sent - receiver.events();
    row(what, accepted, took, receiver, report.cpu_seconds, {
      lost: expected
        ? `${lost} (${((100 * lost) / report.sent).toFixed(3)} %), counted ${dropped()}`
        : lost,
    });
  });
}

/** Lines that are written to a file now and then, until each is visible. */
async function follow() {
  const home = mkdtempSync(join(tmpdir(), 'timberline-rates-log-'));
  const log = join(home, 'app.log');
  writeFileSync(log, '');
  const options = ['--follow', log, '--http', '127.0.0.1:0'];
  try {
    await withReceiver(options, ['--refresh', '200ms'], async (receiver) => {
      const lines = Math.max(20, Math.round(seconds * 4));
      const took = [];
      const began = performance.now();
      for (let line = 0; line < lines; line += 1) {
        // Anywhere between two refreshes.
        await sleep((line * 67) % 211);
        const written = performance.now();
        appendFileSync(log, `${new Date().toISOString()} INFO line ${line}\n`);
        await receiver.until('the line is visible', () => receiver.events() > line, 30_000);
        took.push(performance.now() - written);
      }
      row(
        'followed file at refresh 200 ms',
        lines,
        (performance.now() - began) / 1_000,
        receiver,
        0,
        {
          'visible p50 ms': Math.round(percentile(took, 0.5)),
          'visible p99 ms': Math.round(percentile(took, 0.99)),
        },
      );
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** What a short refresh costs: the same load, twice. */
async function refresh() {
  const rate = Number(given.rate ?? 20_000);
  // Some of the long intervals.
  const length = Number(given['refresh-seconds'] ?? 120);
  const costs = [];
  for (const interval of ['30s', '200ms']) {
    await withReceiver(['--http', '127.0.0.1:0'], ['--refresh', interval], async (receiver) => {
      const began = performance.now();
      const report = await load(profile, ['--http', receiver.address('http')], rate, length).ended;
      await receiver.until('all is visible', () => receiver.events() >= report.sent);
      costs.push(cpu(receiver.pid));
      const took = (performance.now() - began) / 1_000;
      row(`_bulk at refresh ${interval}`, report.sent, took, receiver, report.cpu_seconds);
    });
  }
  const more = (100 * (costs[1] / costs[0] - 1)).toFixed(1);
  say(`A refresh of 200 ms takes ${more} % more CPU time than one of 30 s`);
}

/** What the receiver takes whatever comes: 400 MB at most. */
const mostMemory = 400;

async function hostiles() {
  const sources = ['--http', '127.0.0.1:0', '--syslog', 'tcp://127.0.0.1:0'];
  const high = [];
  for (const [what, send] of Object.entries(hostile)) {
    await withReceiver(sources, [], async (receiver) => {
      const began = performance.now();
      const [http, tcp] = ['http', 'syslog/tcp'].map((kind) => receiver.address(kind));
      await send(http, tcp, Date.now() + seconds * 1_000);
      const accepted = () => receiver.sum('accepted');
      await receiver.until('what was accepted is visible', () => receiver.events() >= accepted());
      row(what, receiver.events(), (performance.now() - began) / 1_000, receiver, 0);
      const most = memory(receiver.pid, 'VmHWM');
      if (most > mostMemory) high.push(`${what} took ${most.toFixed(0)} MB`);
    });
  }
  return high;
}

const measured = {
  rsyslog,
  tcp: () => sent('syslog TCP, octet-counted', 'syslog/tcp', ['--syslog', 'tcp://127.0.0.1:0'], 0),
  udp: () => {
    const rate = Number(given['udp-rate'] ?? 80_000);
    const option = ['--syslog', 'udp://127.0.0.1:0'];
    return sent(`syslog UDP, ${rate}/s sent`, 'syslog/udp', option, rate, true);
  },
  follow,
  refresh,
  memory: hostiles,
};

await main(async () => {
  const only = given.only?.split(',') ?? Object.keys(measured);
  const unknown = only.find((name) => !measured[name]);
  if (unknown) throw new Stop(`"${unknown}" is not measured; these are: ${Object.keys(measured)}`);
  if (!given['no-build']) await build(profile);
  const failed = [];
  for (const name of only) {
    say(`Measuring ${name}`);
    failed.push(...((await measured[name]()) ?? []));
  }
  console.table(rows);
  if (failed.length > 0) throw new Stop(`Not within the bounds: ${failed.join('; ')}`);
});
