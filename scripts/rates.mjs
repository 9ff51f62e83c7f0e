// `npm run rates [-- --seconds 20 --events 600000 --udp-rate 80000 --rate 20000 --refresh-seconds 120]`: how fast `timberline
// listen` receives, and how soon a line is visible. Sender and receiver share the machine, so the CPU time of both is printed.
// Each row has its target and whether it is met, by the time until all is visible; after the end the numbers that were sent are
// counted in the case, and what is lost or doubled is a failure.
// `--only rsyslog,tcp,udp,follow,refresh,memory` measures some of them; `--dev --no-build` tries the script on the development build.
import { spawn, spawnSync } from 'node:child_process';
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
import { program } from './paths.mjs';
import { Receiver, build, cpu, load, memory, options, percentile } from './receiving.mjs';
import { Stop, ask, main, say } from './run.mjs';

const given = options(['dev', 'no-build']);
const profile = given.dev ? 'debug' : 'release';
const seconds = Number(given.seconds ?? 20);
const events = Number(given.events ?? 600_000);
const rows = [];

/** A row of the table: what was taken, in how long until it is visible, and who used the processor for it. */
function row(what, taken, took, receiver, sender, more = {}) {
  const made = {
    what,
    events: taken,
    seconds: took.toFixed(1),
    'events/s': Math.round(taken / took),
    'receiver CPU s': cpu(receiver.pid).toFixed(1),
    'sender CPU s': sender.toFixed(1),
    MB: Math.round(memory(receiver.pid, 'VmHWM')),
    ...more,
  };
  rows.push(made);
  return made;
}

/** The target of a row, and whether it is met. */
const target = (text, isMet) => ({ target: text, met: isMet ? 'yes' : 'no' });

/** Counts what is in the case after its end. `number` finds the number that each event was sent with. */
function count(made, receiver, sent, number, mostLost = 0) {
  const query = `* | rex message /${number}/ | stats count() as events, count_distinct(number) as numbers`;
  const words = ['query', receiver.folder, query, '--format', 'ndjson'];
  const found = ask(program('timberline', profile), words);
  if (found === null) throw new Stop(`${made.what}: the case cannot be asked after the end`);
  const { events: there, numbers } = JSON.parse(found);
  Object.assign(made, { lost: sent - numbers, doubled: there - numbers });
  if (made.doubled !== 0) throw new Stop(`${made.what}: ${made.doubled} events are doubled`);
  if (made.lost > mostLost) throw new Stop(`${made.what}: ${made.lost} events are lost`);
}

/** Runs a receiver for some work. What that returns is done after the receiver's end. */
async function withReceiver(sources, more, work) {
  const home = mkdtempSync(join(tmpdir(), 'timberline-rates-'));
  let receiver;
  try {
    receiver = await Receiver.start(home, profile, sources, more);
    const afterwards = await work(receiver, home);
    await receiver.stop();
    afterwards?.();
  } finally {
    await receiver?.kill();
    rmSync(home, { recursive: true, force: true });
  }
}

/** A configuration of rsyslog that reads a file and sends it with omelasticsearch; each line has an id. */
const rsyslogConf = (home, log, port) => `global(workDirectory="${home}/work" localHostname="web-1")
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
  searchIndex="load" searchType="" writeoperation="create" dynBulkId="on" bulkid="id" errorFile="${home}/errors"
  queue.type="LinkedList" queue.size="200000" queue.dequeueBatchSize="4000" queue.workerThreads="2" queue.workerThreadMinimumMessages="8000"
  action.resumeRetryCount="-1" action.resumeInterval="1")
`;

/** An rsyslog that can run a configuration, or nothing. */
function rsyslogWith(conf) {
  clients();
  const known = [process.env.TIMBERLINE_RSYSLOGD, '/usr/sbin/rsyslogd', 'rsyslogd'];
  const runs = (path) => spawnSync(path, ['-N1', '-f', conf], { stdio: 'ignore' }).status === 0;
  return known.find((path) => path && runs(path));
}

async function rsyslog() {
  const [what, wanted] = ['rsyslog omelasticsearch → _bulk', 60_000];
  await withReceiver(['--http', '127.0.0.1:0'], [], async (receiver, home) => {
    const [conf, log] = [join(home, 'rsyslog.conf'), join(home, 'app.log')];
    mkdirSync(join(home, 'work'));
    writeFileSync(conf, rsyslogConf(home, log, receiver.address('http').split(':').at(-1)));
    const rsyslogd = rsyslogWith(conf);
    if (!rsyslogd) {
      rows.push({ what, target: `≥ ${wanted}/s`, met: 'no rsyslog with omelasticsearch here' });
      return null;
    }
    const out = createWriteStream(log);
    for (let event = 0; event < events; event += 1) {
      const line = `10.0.${event % 251}.7 GET /api/orders/${event} answered ${200 + (event % 5)} in ${event % 1_900} ms\n`;
      if (!out.write(line)) await once(out, 'drain');
    }
    out.end();
    await once(out, 'finish');
    const began = performance.now();
    const words = ['-n', '-f', conf, '-i', join(home, 'pid')];
    const child = spawn(rsyslogd, words, { stdio: 'inherit' });
    const gone = once(child, 'exit');
    try {
      const hasAll = (number) => {
        if (child.exitCode !== null) throw new Stop(`rsyslog ended with ${child.exitCode}`);
        return number >= events;
      };
      await receiver.until('all events are accepted', () => hasAll(receiver.sum('accepted')));
      const accepted = (performance.now() - began) / 1_000;
      const sender = cpu(child.pid);
      await receiver.until('all events are visible', () => hasAll(receiver.events()));
      const took = (performance.now() - began) / 1_000;
      const made = row(what, events, took, receiver, sender, {
        'accepted s': accepted.toFixed(1),
        ...target(`≥ ${wanted}/s`, events / took >= wanted),
      });
      return () => count(made, receiver, events, 'orders\\/(?<number>\\d+)');
    } finally {
      child.kill('SIGKILL');
      await gone;
    }
  });
}

/** What a generator sends until its time is over, and until when all of it is accepted, and visible. */
async function sent(what, kind, rate, wanted, isMet) {
  await withReceiver(['--syslog', `${kind}://127.0.0.1:0`], [], async (receiver) => {
    const began = performance.now();
    const sinceSeconds = () => (performance.now() - began) / 1_000;
    const sending = load(profile, [`--${kind}`, receiver.address(`syslog/${kind}`)], rate, seconds);
    const report = await sending.ended;
    const dropped = () => receiver.rejected('dropped by the kernel');
    const arrived = () => receiver.sum('accepted') + dropped() >= report.sent;
    await receiver.until('all that was sent is accepted or counted as dropped', arrived, 120_000);
    const [accepted, taken] = [sinceSeconds(), receiver.sum('accepted')];
    await receiver.until('what was accepted is visible', () => receiver.events() >= taken);
    const took = sinceSeconds();
    const share = dropped() / report.sent;
    const made = row(what, taken, took, receiver, report.cpu_seconds, {
      'accepted s': accepted.toFixed(1),
      dropped: `${(100 * share).toFixed(3)} %`,
      ...target(wanted, isMet({ share, took, taken, rate: report.sent / report.seconds })),
    });
    return () => count(made, receiver, report.sent, 'request (?<number>\\d+)', dropped());
  });
}

/** Lines that are written to a file now and then, until each is visible. */
async function follow() {
  const home = mkdtempSync(join(tmpdir(), 'timberline-rates-log-'));
  const log = join(home, 'app.log');
  writeFileSync(log, '');
  const options = ['--tail', log, '--http', '127.0.0.1:0'];
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
          ...target('p99 ≤ 400 ms', percentile(took, 0.99) <= 400),
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
      const made = row(
        `_bulk at refresh ${interval}`,
        report.sent,
        took,
        receiver,
        report.cpu_seconds,
      );
      return () => count(made, receiver, report.sent, 'request (?<number>\\d+)');
    });
  }
  const more = 100 * (costs[1] / costs[0] - 1);
  Object.assign(rows.at(-1), target('≤ 15 % more CPU', more <= 15));
  say(`A refresh of 200 ms takes ${more.toFixed(1)} % more CPU time than one of 30 s`);
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
      const most = memory(receiver.pid, 'VmHWM');
      const took = (performance.now() - began) / 1_000;
      const isMet = target(`≤ ${mostMemory} MB`, most <= mostMemory);
      row(what, receiver.events(), took, receiver, 0, isMet);
      if (most > mostMemory) high.push(`${what} took ${most.toFixed(0)} MB`);
    });
  }
  return high;
}

const measured = {
  rsyslog,
  tcp: () =>
    sent(
      'syslog TCP, octet-counted',
      'tcp',
      0,
      '≥ 150000/s',
      ({ taken, took }) => taken / took >= 150_000,
    ),
  udp: () => {
    const rate = Number(given['udp-rate'] ?? 80_000);
    const isMet = (is) => is.share < 0.001 && is.rate >= rate * 0.99;
    return sent(`syslog UDP, ${rate}/s sent`, 'udp', rate, '< 0.1 % dropped', isMet);
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
    try {
      failed.push(...((await measured[name]()) ?? []));
    } catch (error) {
      // The rows of the others are printed all the same.
      if (!(error instanceof Stop)) throw error;
      failed.push(`${name}: ${error.message}`);
    }
  }
  console.table(rows);
  if (failed.length > 0) throw new Stop(`Not within the bounds: ${failed.join('; ')}`);
});
