// `npm run test:remote`: the tests of clusters against real servers. Elasticsearch and OpenSearch come from Maven
// Central as their own integration tests use them: one node, no security, on 127.0.0.1. Java 17 runs the first;
// the second needs Java 21 or later, named by JAVA_21_HOME, and is left out without it.
// `--only NAME` takes one server, `--record` writes the exchanges that `npm test` replays (fixtures/clusters), and
// `--data DIR` also compares and pushes the logs D1-1M.log and D2-1M.ndjson of that folder, and measures D1.log and
// D2.ndjson; times are those of a build with `--release`. The figures of all tests are printed at the end.
// `--journeys` drives the workbench at the server instead, in a browser and in the window; pictures are in tests/out.
import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

import { root, tools } from './paths.mjs';
import { Stop, ask, main, onPath, run, runNode, say } from './run.mjs';

/** Where the `java` on PATH is installed. */
function javaHome() {
  const java = onPath('java');
  return java ? dirname(dirname(realpathSync(java))) : undefined;
}

const servers = [
  {
    name: 'elasticsearch',
    artifact: 'org.elasticsearch.distribution.integ-test-zip:elasticsearch:8.19.21:zip',
    settings: ['xpack.security.enabled: false'],
    // The zip has no Java of its own.
    java: process.env.JAVA_HOME ?? javaHome(),
  },
  {
    name: 'opensearch',
    artifact: 'org.opensearch.distribution.integ-test-zip:opensearch:3.6.0:zip',
    settings: [],
    java: process.env.JAVA_21_HOME,
    needsJava: true,
  },
];

/** The value of an option; an option without one is true. */
function option(name) {
  const at = process.argv.indexOf(`--${name}`);
  if (at < 0) return undefined;
  const next = process.argv[at + 1];
  return next === undefined || next.startsWith('--') ? true : next;
}

/** Seconds until a server answers; the first start takes longest. */
const patience = 180;

/** Two ports that nothing listens at. */
async function freePorts() {
  const listeners = [createServer(), createServer()];
  const ports = [];
  for (const listener of listeners) {
    await new Promise((done) => listener.listen(0, '127.0.0.1', done));
    ports.push(listener.address().port);
  }
  await Promise.all(listeners.map((listener) => new Promise((done) => listener.close(done))));
  return ports;
}

/** The folder of a server, fetched once. */
async function unpacked(server, cache) {
  const zips = join(cache, 'zips');
  const home = join(cache, server.name);
  if (!existsSync(home)) {
    mkdirSync(zips, { recursive: true });
    await run('mvn', [
      '-q',
      'dependency:copy',
      `-Dartifact=${server.artifact}`,
      `-DoutputDirectory=${zips}`,
    ]);
    const zip = readdirSync(zips).find((file) => file.startsWith(server.name));
    if (!zip) throw new Stop(`Maven fetched no ${server.name}.`);
    await run('unzip', ['-q', join(zips, zip), '-d', `${home}.part`]);
    const [inner] = readdirSync(`${home}.part`);
    await run('mv', [join(`${home}.part`, inner), home]);
    rmSync(`${home}.part`, { recursive: true });
  }
  return home;
}

async function started(server, home, place) {
  const [http, transport] = await freePorts();
  const copy = join(place, 'home');
  await run('cp', ['-r', home, copy]);
  const lines = [
    `path.data: ${join(place, 'data')}`,
    `path.logs: ${join(place, 'logs')}`,
    'network.host: 127.0.0.1',
    `http.port: ${http}`,
    `transport.port: ${transport}`,
    'discovery.type: single-node',
    'cluster.routing.allocation.disk.threshold_enabled: false',
    ...server.settings,
  ];
  writeFileSync(join(copy, 'config', `${server.name}.yml`), `${lines.join('\n')}\n`);
  const memory = '-Xms1g -Xmx1g';
  const env = { ...process.env, HOME: place, ES_JAVA_OPTS: memory, OPENSEARCH_JAVA_OPTS: memory };
  if (server.java) {
    env.ES_JAVA_HOME = server.java;
    env.OPENSEARCH_JAVA_HOME = server.java;
    env.JAVA_HOME = server.java;
  }
  const options = { cwd: place, env, stdio: 'ignore' };
  if (process.getuid?.() === 0) {
    // Neither server runs as root.
    options.uid = Number(ask('id', ['-u', 'nobody']));
    options.gid = Number(ask('id', ['-g', 'nobody']));
    spawnSync('chown', ['-R', `${options.uid}:${options.gid}`, place]);
  }
  const child = spawn(join(copy, 'bin', server.name), [], options);
  const url = `http://127.0.0.1:${http}`;
  for (let second = 0; second < patience; second += 1) {
    if (child.exitCode !== null) break;
    const answer = await fetch(`${url}/_cluster/health`).catch(() => null);
    if (answer?.ok) return { child, url };
    await new Promise((done) => setTimeout(done, 1_000));
  }
  child.kill();
  throw new Stop(`${server.name} did not start; its log is in ${join(place, 'logs')}.`);
}

await main(async () => {
  for (const tool of ['java', 'mvn', 'unzip']) {
    if (!onPath(tool))
      throw new Stop(`${tool} is needed to run real servers. Install it and try again.`);
  }
  const profile = option('release') ? ['--release'] : [];
  // Lines of logs for the servers come from the generator.
  const programs = [
    'timberline',
    'generate',
    ...(option('journeys') ? ['timberline-desktop'] : []),
  ].flatMap((name) => ['--bin', name]);
  await run('cargo', ['build', '--workspace', ...profile, ...programs]);
  const figures = join(root, 'tests', 'out', 'figures.txt');
  rmSync(figures, { force: true });
  const cache = join(root, 'tests', 'out', 'servers');
  const [only, data] = [option('only'), option('data')];
  for (const server of servers) {
    if (only !== undefined && only !== server.name) continue;
    if (server.needsJava && !server.java) {
      say(`${server.name} is left out: it needs Java 21 or later in JAVA_21_HOME.`);
      continue;
    }
    const home = await unpacked(server, cache);
    const place = mkdtempSync(join(tmpdir(), `timberline-${server.name}-`));
    const { child, url } = await started(server, home, place);
    try {
      say(`${server.name} answers at ${url}.`);
      // Tests at once would measure each other.
      const env = { ...process.env, TIMBERLINE_TEST_CLUSTER: url, RUST_TEST_THREADS: '1' };
      if (typeof data === 'string') env.TIMBERLINE_TEST_DATA = resolve(data);
      const recording = ['--test', 'all', '--', 'remote_recorded::', '--ignored'];
      const live = ['remote_live::', 'remote_data::', 'remote_targets::'];
      if (option('journeys')) {
        const files = ['browser', 'desktop'].map((host) => `tests/e2e/journeys.${host}.ts`);
        const chosen = ['--config', 'vitest.e2e.config.ts', '-t', 'real cluster', ...files];
        await runNode(tools.vitest, ['run', ...chosen], { env });
        continue;
      }
      if (option('record')) {
        const [, , version] = server.artifact.split(':');
        env.TIMBERLINE_RECORD = `${server.name}-${version}`;
      }
      const chosen = option('record')
        ? recording
        : ['--test', 'all', '--no-fail-fast', '--', ...live, '--include-ignored'];
      await run('cargo', ['test', '--workspace', ...profile, ...chosen], { env });
    } finally {
      if (existsSync(figures)) say(`${server.name}:\n${readFileSync(figures, 'utf8')}`);
      rmSync(figures, { force: true });
      const ended = new Promise((done) => child.once('exit', done));
      child.kill();
      await ended;
      rmSync(place, { recursive: true, force: true });
    }
  }
});
