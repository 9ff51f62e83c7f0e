// `npm run soak [-- --minutes 60 --rate 20000 --keep-bytes 5GB --keep 1h --compress-after 20m --refresh 1s --out FOLDER]`:
// whether receiving stays as fast and as small for hours. Half of the events comes through `_bulk`, half over TCP; a search a
// second asks for the last minutes. Writes a row a minute as CSV and a picture of it, and ends with a verdict: rate, queries and
// memory stay within 5 % after the first sixth, there are at most 60 segments and 400 MB of memory, and every event is there.
// `--out docs/images` puts the picture into the documentation. `--dev --no-build` tries the script on the development build.
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { chart } from './curves.mjs';
import { caller, targetFolder } from './paths.mjs';
import { Receiver, build, cpu, load, memory, options, percentile } from './receiving.mjs';
import { Stop, main, say } from './run.mjs';

/** The drift that still counts as flat. */
const flat = 0.05;
/** There are at most so many segments, however long it runs. */
const mostSegments = 60;
/** And so many megabytes of memory. */
const mostMemory = 400;

const columns = [
  'minute',
  'events_per_second',
  'query_p50_ms',
  'query_p95_ms',
  'visible_p50_ms',
  'visible_p99_ms',
  'rss_mb',
  'rss_anon_mb',
  'segments',
  'backlog_mb',
  'receiver_cpu_seconds',
  'case_mb',
];

/** Asks for the last minutes as a dashboard does; gives how long it took, and how old the newest event is. */
async function ask(receiver, minutes) {
  const from = new Date(Date.now() - minutes * 60_000).toISOString();
  const { found, ms } = await receiver.search({
    size: 1,
    sort: [{ '@timestamp': 'desc' }],
    query: {
      bool: {
        must: [{ match: { message: 'orders' } }],
        filter: [{ range: { '@timestamp': { gte: from } } }],
      },
    },
    aggs: { time: { date_histogram: { field: '@timestamp', fixed_interval: '10s' } } },
  });
  const newest = found.hits.hits[0]?.sort?.[0];
  return { ms, age: newest === undefined ? null : Date.now() - Number(newest) };
}

/** One minute: a question a second, and what changed since the last one. */
async function minute(receiver, number, before, query) {
  const asked = [];
  const began = Date.now();
  for (let second = 0; second < 60; second += 1) {
    await sleep(Math.max(0, began + second * 1_000 - Date.now()));
    asked.push(await ask(receiver, query));
  }
  await sleep(Math.max(0, began + 60_000 - Date.now()));
  const now = state(receiver);
  const ages = asked.map(({ age }) => age).filter((age) => age !== null);
  const times = asked.map(({ ms }) => ms);
  const seconds = (now.at - before.at) / 1_000;
  const row = {
    minute: number,
    events_per_second: Math.round((now.events - before.events) / seconds),
    query_p50_ms: percentile(times, 0.5).toFixed(1),
    query_p95_ms: percentile(times, 0.95).toFixed(1),
    visible_p50_ms: Math.round(percentile(ages, 0.5)),
    visible_p99_ms: Math.round(percentile(ages, 0.99)),
    rss_mb: memory(receiver.pid).toFixed(1),
    rss_anon_mb: memory(receiver.pid, 'RssAnon').toFixed(1),
    segments: receiver.segments(),
    backlog_mb: ((receiver.statistics?.backlog_bytes ?? 0) / 1e6).toFixed(1),
    receiver_cpu_seconds: (now.cpu - before.cpu).toFixed(1),
    case_mb: (receiver.bytes() / 1e6).toFixed(0),
  };
  return { row, now };
}

const state = (receiver) => ({
  at: Date.now(),
  events: receiver.events() + receiver.dropped(),
  cpu: cpu(receiver.pid),
});

/** How much worse the last third is than the third after the first sixth. */
function drift(rows, column, grows) {
  const rest = rows.slice(Math.floor(rows.length / 6));
  const third = Math.max(1, Math.floor(rest.length / 3));
  const middle = (part) =>
    percentile(
      part.map((row) => Number(row[column])),
      0.5,
    );
  const [first, last] = [middle(rest.slice(0, third)), middle(rest.slice(-third))];
  return grows ? last / first - 1 : 1 - last / first;
}

await main(async () => {
  const given = options(['dev', 'no-build']);
  const profile = given.dev ? 'debug' : 'release';
  const [minutes, rate] = [Number(given.minutes ?? 60), Number(given.rate ?? 20_000)];
  if (!given['no-build']) await build(profile);
  const out = resolve(caller, given.out ?? join(targetFolder(), 'soak'));
  mkdirSync(out, { recursive: true });
  const name = given['keep-bytes'] || given.keep ? 'soak-kept' : 'soak';
  const table = join(out, `${name}.csv`);
  writeFileSync(table, `${columns.join(',')}\n`);
  const home = mkdtempSync(join(tmpdir(), 'timberline-soak-'));
  let receiver;
  try {
    const kept = ['keep', 'keep-bytes', 'compress-after'].flatMap((option) =>
      given[option] ? [`--${option}`, given[option]] : [],
    );
    receiver = await Receiver.start(
      home,
      profile,
      ['--http', '127.0.0.1:0', '--syslog', 'tcp://127.0.0.1:0'],
      ['--refresh', given.refresh ?? '1s', ...kept],
    );
    const [http, tcp] = ['http', 'syslog/tcp'].map((kind) => receiver.address(kind));
    const sending = load(profile, ['--http', http, '--tcp', tcp], rate, minutes * 60 + 3_600);
    // The first sixth fills what is asked for, so that later questions are alike.
    const query = Math.min(5, minutes / 6);
    await receiver.until('events are visible', () => receiver.events() > 0);
    const rows = [];
    let [before, peak] = [state(receiver), 0];
    for (let number = 1; number <= minutes; number += 1) {
      const { row, now } = await minute(receiver, number, before, query);
      before = now;
      rows.push(row);
      peak = Math.max(peak, row.segments);
      appendFileSync(table, `${columns.map((column) => row[column]).join(',')}\n`);
      say(columns.map((column) => `${column} ${row[column]}`).join('  '));
    }
    sending.stop();
    const sent = await sending.ended;
    const highest = memory(receiver.pid, 'VmHWM');
    await receiver.stop();
    const found = receiver.events() + receiver.dropped();
    const picture = join(out, `${name}.svg`);
    writeFileSync(
      picture,
      chart(`${rate} events a second for ${minutes} minutes`, 'minutes', [
        {
          name: 'events a second',
          points: rows.map((row) => [row.minute, Number(row.events_per_second)]),
        },
        {
          name: 'query, 95 % within (ms)',
          points: rows.map((row) => [row.minute, Number(row.query_p95_ms)]),
        },
        {
          name: 'visible, 99 % within (ms)',
          points: rows.map((row) => [row.minute, Number(row.visible_p99_ms)]),
        },
        { name: 'memory (MB)', points: rows.map((row) => [row.minute, Number(row.rss_mb)]) },
        { name: 'segments', points: rows.map((row) => [row.minute, Number(row.segments)]) },
      ]),
    );
    const checks = [
      ['rate falls by', drift(rows, 'events_per_second', false), flat],
      ['query p95 grows by', drift(rows, 'query_p95_ms', true), flat],
      ['memory grows by', drift(rows, 'rss_mb', true), flat],
    ];
    console.table(
      checks.map(([what, is, most]) => ({
        what,
        is: `${(100 * is).toFixed(1)} %`,
        most: `${100 * most} %`,
      })),
    );
    say(
      `${sent.sent} sent (${sent.retries} batches again), ${found} there or dropped, at most ${peak} segments`,
    );
    say(`${highest.toFixed(0)} MB at most; sending took ${sent.cpu_seconds} CPU seconds`);
    say(`${table}\n${picture}`);
    const failed = checks.filter(([, is, most]) => is > most).map(([what]) => what);
    if (peak > mostSegments) failed.push(`there were ${peak} segments`);
    if (highest > mostMemory) failed.push(`it took ${highest.toFixed(0)} MB`);
    if (found !== sent.sent) failed.push(`${sent.sent - found} events are missing`);
    if (failed.length > 0) throw new Stop(`Not flat: ${failed.join('; ')}`);
    say('Flat: rate, queries and memory stay within 5 % after the first sixth');
  } finally {
    await receiver?.kill();
    rmSync(home, { recursive: true, force: true });
  }
});
