// The other programs that read a case, and the clients that send to one or ask it: DuckDB, pandas, polars,
// Elasticsearch's client, OpenTelemetry's exporter and the client of the Model Context Protocol, in their own Python
// environment next to the npm packages. If they cannot be
// installed, the reason is printed and the tests that use them are skipped.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { modules } from './paths.mjs';
import { onPath, say } from './run.mjs';

const folder = join(modules, '.cache', 'timberline', 'readers');
const python = join(folder, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
/** Pinned versions, so that a new release does not fail a test here. */
const packages = {
  duckdb: '2.0.0',
  pandas: '3.1.1',
  polars: '2.1.0',
  pyarrow: '26.0.1',
  elasticsearch: '8.19.3',
  'opentelemetry-sdk': '1.45.2',
  'opentelemetry-exporter-otlp-proto-http': '1.45.2',
  mcp: '2.3.0',
};
/** The modules to import. */
const imported =
  'duckdb, pandas, polars, pyarrow, elasticsearch, opentelemetry.exporter.otlp.proto.http, mcp';
/** Without a network pip would retry for minutes. */
const limitMs = 180_000;

const works = () =>
  existsSync(python) &&
  spawnSync(python, ['-c', `import ${imported}`], { stdio: 'ignore' }).status === 0;

/** Runs a step; returns its last output if it failed, or null. */
function problemOf(command, args) {
  const done = spawnSync(command, args, { encoding: 'utf8', timeout: limitMs });
  if (done.status === 0) return null;
  const said = `${done.stdout ?? ''}\n${done.stderr ?? ''}`.trim().split('\n').at(-1);
  return said || done.error?.message || `${command} failed`;
}

function install() {
  // The system's Python creates environments that last; another one can be an environment itself.
  const system = ['/usr/bin/python3', onPath('python3'), onPath('python')].find(
    (path) => path && existsSync(path),
  );
  if (!system) return 'there is no Python';
  say('Installing the Python packages that a case is read with, and written to');
  const versions = Object.entries(packages).map(([name, version]) => `${name}==${version}`);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--retries', '1'];
  return problemOf(system, ['-m', 'venv', folder]) ?? problemOf(python, [...pip, ...versions]);
}

/** Installs them if possible, and passes their location to the tests. */
export function readers() {
  if (process.env.TIMBERLINE_PYTHON) return;
  process.env.TIMBERLINE_PYTHON = python;
  const problem = works() ? null : install();
  if (problem !== null) {
    say(`The tests with Python packages that read a case or send to one are skipped: ${problem}`);
  }
}
