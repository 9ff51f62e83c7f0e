// `npm run rates:detectors [-- --rate 20000 --seconds 60 --rounds 3 --refresh 1s --events 1000000]`: what detectors cost. Live:
// 200 of them over events that come by TCP, with and without them alternating, so that the machine is the same for both: the CPU
// time of the receiver, and how long from an event to its alert. Sigma: all public rules over Windows events, next to a hundred.
// `--only live,sigma` measures some; `--dev --no-build` tries the script on the development build.
import { createConnection } from 'node:net';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

import { buildPrograms } from './build.mjs';
import { data, measure, median } from './measure.mjs';
import { program, root } from './paths.mjs';
import { Receiver, cpu, load, options, percentile } from './receiving.mjs';
import { Stop, main, run, say } from './run.mjs';

const given = options(['dev', 'no-build']);
const profile = given.dev ? 'debug' : 'release';
const seconds = Number(given.seconds ?? 60);
const rounds = Number(given.rounds ?? 3);
const rows = [];

/** A row of the table: a figure with its target, and whether it is met. */
function row(what, figure, target, isMet) {
  rows.push({ what, figure, target, met: isMet ? 'yes' : 'no' });
  return isMet ? [] : [`${what}: ${figure}`];
}

/** Detectors of each kind. */
const EACH = 40;

/** What detectors look at: some share a filter and some have their own, as those of people do. */
const FILTERS = [
  'host:*',
  'level>=error',
  'level:warn',
  ...[0, 1, 2, 3].map((host) => `host:web-${host}`),
  'request',
  ...[7, 77].map((order) => `orders ${order}`),
];

/** Conditions that events of `load` never meet, so that what is measured is evaluation; and one that probes meet. */
function detectors() {
  const PROBE =
    'name = "probe"\nquery = "probe"\nby = ["host"]\nthreshold = { above = 0, every = "1s" }';
  const kinds = [
    () => 'threshold = { above = 1e12, every = "10s" }',
    () => 'threshold = { measure = "max(line)", above = 1e15, every = "10s" }',
    (of) => `threshold = { measure = "p${90 + (of % 10)}(line)", above = 1e15, every = "10s" }`,
    (of) => `by = ["host"]\nabsence = { longer = "${60 + of}m" }`,
    () => 'anomaly = { every = "10s", sensitivity = 1e9 }',
  ];
  const one = (condition, kind) => (_, of) =>
    kind === 0 && of === 0
      ? PROBE
      : `name = "kind-${kind}-${of}"\nquery = "${FILTERS[of % FILTERS.length]}"\n${condition(of)}`;
  const all = kinds.flatMap((condition, kind) =>
    Array.from({ length: EACH }, one(condition, kind)),
  );
  return all.map((text) => `[[detector]]\n${text}\n`).join('\n');
}

/** Sends an event of its own host now and then, until `isOver`; gives when each was sent. */
async function probe(address, isOver) {
  const [host, port] = [address.slice(0, address.lastIndexOf(':')), address.split(':').at(-1)];
  const connection = createConnection(Number(port), host);
  await once(connection, 'connect');
  const sent = new Map();
  while (!isOver()) {
    const name = `probe-${sent.size}`;
    const text = `<134>1 ${new Date().toISOString()} ${name} shop 817 - - probe`;
    sent.set(name, performance.now());
    connection.write(`${text.length} ${text}`);
    // Anywhere between two refreshes.
    await sleep(250 + ((sent.size * 67) % 211));
  }
  connection.end();
  return sent;
}

/** One receiver for the length of a round: its CPU seconds, and of each probe the time to its alert. */
async function round(withDetectors) {
  const home = mkdtempSync(join(tmpdir(), 'timberline-detectors-'));
  const file = join(home, 'detectors.toml');
  writeFileSync(file, detectors());
  const more = [
    '--refresh',
    given.refresh ?? '1s',
    ...(withDetectors ? ['--detectors', file] : []),
  ];
  let receiver;
  try {
    receiver = await Receiver.start(home, profile, ['--syslog', 'tcp://127.0.0.1:0'], more);
    const address = receiver.address('syslog/tcp');
    const alerts = [];
    createInterface({ input: receiver.child.stdout }).on('line', (line) => {
      const { alert } = JSON.parse(line);
      if (alert) alerts.push({ ...alert, cameMs: performance.now() });
    });
    const sending = load(profile, ['--tcp', address], Number(given.rate ?? 20_000), seconds);
    let isOver = false;
    sending.ended.finally(() => (isOver = true)).catch(() => {});
    const probes = await probe(address, () => isOver);
    const { sent } = await sending.ended;
    const all = sent + probes.size;
    await receiver.until('all is visible', () => receiver.events() >= all, 120_000);
    const ofProbes = () =>
      alerts.filter(({ detector, state }) => detector === 'probe' && state === 'firing');
    if (withDetectors) {
      await receiver.until(
        'each probe has its alert',
        () => ofProbes().length >= probes.size,
        60_000,
      );
    }
    const others = alerts.filter(({ detector }) => detector !== 'probe').length;
    if (others > 0) throw new Stop(`${others} alerts came of detectors that never fire`);
    const took = ofProbes().map(({ group, cameMs }) => cameMs - probes.get(group.host));
    const used = cpu(receiver.pid);
    await receiver.stop();
    return { used, took, sent };
  } finally {
    await receiver?.kill();
    rmSync(home, { recursive: true, force: true });
  }
}

async function live() {
  const used = { with: 0, without: 0 };
  const took = [];
  for (let at = 0; at < rounds; at += 1) {
    for (const way of ['without', 'with']) {
      const done = await round(way === 'with');
      used[way] += done.used;
      took.push(...done.took);
      say(`${way} detectors: ${done.used.toFixed(1)} CPU s for ${done.sent} events`);
    }
  }
  const refresh = given.refresh ?? '1s';
  const most = (refresh.endsWith('ms') ? 1 : 1_000) * Number.parseFloat(refresh) + 300;
  const [half, late] = [0.5, 0.99].map((part) => Math.round(percentile(took, part)));
  const share = 100 * (used.with / used.without - 1);
  const cost = `${used.without.toFixed(1)} → ${used.with.toFixed(1)} s, ${share.toFixed(1)} % more`;
  return [
    ...row(
      `event → alert, ${took.length} probes`,
      `p50 ${half} ms, p99 ${late} ms`,
      `p99 ≤ ${most} ms`,
      late <= most,
    ),
    ...row('CPU of the receiver with 200 detectors', cost, '≤ 15 % more', share <= 15),
  ];
}

/** The files of rules below a folder, in order. */
const rulesOf = (folder) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.yml'))
    .map((name) => join(folder, name))
    .sort();

async function sigma() {
  const sets = join(root, '..', 'shared', 'datasets', 'sigma');
  const folders = ['rules', 'rules-emerging-threats', 'rules-threat-hunting'].map((set) =>
    join(sets, set),
  );
  if (!existsSync(folders[0])) throw new Stop(`there are no public Sigma rules in ${sets}`);
  const events = Number(given.events ?? 1_000_000);
  const home = mkdtempSync(join(tmpdir(), 'timberline-sigma-'));
  try {
    const log = await data('windows', events, profile);
    const folder = join(home, 'windows.case');
    await run(program('timberline', profile), ['import', folder, log]);
    const all = folders.flatMap(rulesOf);
    const some = Array.from({ length: 100 }, (_, at) => all[Math.floor((at * all.length) / 100)]);
    // Something fired, or a rule cannot be read: both are answers.
    const answered = '"$@" > /dev/null; case $? in 0|1|4) ;; *) exit 1 ;; esac';
    const check = (rules) =>
      measure(
        'bash',
        '-c',
        answered,
        'check',
        program('timberline', profile),
        'check',
        folder,
        ...rules,
      ).cpu;
    const took = { all: [], some: [] };
    for (let at = 0; at < rounds; at += 1) {
      took.some.push(check(some));
      took.all.push(check(folders));
    }
    const [whole, part] = [median(took.all), median(took.some)];
    const count = `${all.length} files of rules over ${events} Windows events`;
    return [
      ...row(count, `${whole.toFixed(1)} CPU s`, '≤ 15 CPU s', whole <= 15),
      ...row(
        'the same next to 100 of them',
        `${part.toFixed(1)} s, ${(whole / part).toFixed(2)} ×`,
        '≤ 3 ×',
        whole <= 3 * part,
      ),
    ];
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const measured = { live, sigma };

await main(async () => {
  const only = given.only?.split(',') ?? Object.keys(measured);
  const unknown = only.find((name) => !measured[name]);
  if (unknown) throw new Stop(`"${unknown}" is not measured; these are: ${Object.keys(measured)}`);
  if (!given['no-build']) {
    const release = profile === 'release' ? ['--release'] : [];
    await buildPrograms(['timberline', 'load', 'generate'], ...release);
  }
  const failed = [];
  for (const name of only) {
    say(`Measuring ${name}`);
    failed.push(...(await measured[name]()));
  }
  console.table(rows);
  if (failed.length > 0) throw new Stop(`Not within the targets: ${failed.join('; ')}`);
});
