// rsyslog with omelasticsearch and syslog-ng, which the tests let send to a case. Debian's packages exclude each other,
// start a daemon when they are installed, and need root for that; so they are fetched with apt and unpacked next to the
// npm packages. If they cannot be fetched, the reason is printed and the tests that use them are skipped.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

import { modules } from './paths.mjs';
import { onPath, say } from './run.mjs';

const folder = join(modules, '.cache', 'timberline', 'clients');
/** A repository that does not answer is waited for this long. */
const limitMs = 120_000;

/** Each program, the packages that bring it, the folder of its modules in them, and the option that names it. */
const programs = [
  {
    name: 'rsyslogd',
    variable: 'TIMBERLINE_RSYSLOGD',
    packages: ['rsyslog', 'rsyslog-elasticsearch'],
    works: ['-v'],
    modules: /^usr\/lib\/[^/]+\/rsyslog$/,
    option: '-M',
  },
  {
    name: 'syslog-ng',
    variable: 'TIMBERLINE_SYSLOG_NG',
    packages: ['syslog-ng-core'],
    works: ['--version'],
    modules: /^usr\/lib\/(?:[^/]+\/)?syslog-ng\/[\d.]+$/,
    option: '--module-path',
  },
];

const starter = ({ name }) => join(folder, name, 'start');

const works = (program) =>
  existsSync(starter(program)) &&
  spawnSync(starter(program), program.works, { stdio: 'ignore' }).status === 0;

class Failed extends Error {}

/** Runs a program and returns what it printed. */
function output(command, args, cwd) {
  const done = spawnSync(command, args, { encoding: 'utf8', timeout: limitMs, cwd });
  if (done.status === 0) return done.stdout;
  const said = (done.stderr ?? '').trim().split('\n').at(-1);
  throw new Failed(said || done.error?.message || `${command} failed`);
}

/** The system's own lists of packages, which can be old or missing. */
const system = [];

/** Lists of this folder, which need no root to be fetched. */
function ownLists() {
  const [lists, cache] = ['lists', 'cache'].map((name) => join(folder, 'apt', name));
  mkdirSync(join(lists, 'partial'), { recursive: true });
  mkdirSync(join(cache, 'archives', 'partial'), { recursive: true });
  const options = [`Dir::State::Lists=${lists}`, `Dir::Cache=${cache}`, 'APT::Sandbox::User=root'];
  const own = options.flatMap((option) => ['-o', option]);
  apt(own, 'update', '-q', '-o', 'APT::Update::Error-Mode=any');
  return own;
}

function apt(lists, ...args) {
  const patience = ['-o', 'Acquire::Retries=0', '-o', 'Acquire::http::Timeout=20'];
  return output('apt-get', [...patience, ...lists, ...args], folder);
}

function folders(at) {
  const below = readdirSync(at, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [at, ...below.flatMap((entry) => folders(join(at, entry.name)))];
}

const packageFiles = () => readdirSync(folder).filter((name) => name.endsWith('.deb'));

/** Unpacks a program with what it needs and this system does not have. */
function fetch(program, lists) {
  const place = join(folder, program.name);
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  const plan = apt(
    lists,
    'install',
    '--simulate',
    '-y',
    '--no-install-recommends',
    ...program.packages,
  );
  const lacking = [...plan.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name);
  apt(lists, 'download', '-q', ...new Set([...program.packages, ...lacking]));
  for (const file of packageFiles()) {
    output('dpkg', ['-x', file, place], folder);
    rmSync(join(folder, file));
  }
  const all = folders(place).map((path) => relative(place, path));
  const hasLibrary = (path) => readdirSync(join(place, path)).some((name) => /\.so\.\d/.test(name));
  const libraries = all.filter(hasLibrary).map((path) => `$here/${path}`);
  const lines = [
    '#!/bin/sh',
    'here=$(dirname "$(readlink -f "$0")")',
    `export LD_LIBRARY_PATH="${libraries.join(':')}"`,
    `exec "$here/usr/sbin/${program.name}" ${program.option} "$here/${all.find((path) => program.modules.test(path))}" "$@"`,
  ];
  writeFileSync(starter(program), `${lines.join('\n')}\n`, { mode: 0o755 });
  if (!works(program)) throw new Failed(`${program.name} does not start on this system`);
}

function install(missing) {
  if (!onPath('apt-get') || !onPath('dpkg')) throw new Failed('this system has no apt');
  say(`Fetching log shippers for the tests: ${missing.map(({ name }) => name).join(', ')}`);
  mkdirSync(folder, { recursive: true });
  for (const file of packageFiles()) rmSync(join(folder, file));
  let lists = system;
  for (const program of missing) {
    try {
      fetch(program, lists);
    } catch (error) {
      if (!(error instanceof Failed) || lists !== system) throw error;
      lists = ownLists();
      fetch(program, lists);
    }
  }
}

/** Fetches them if possible, and passes their locations to the tests. */
export function clients() {
  if (process.platform !== 'linux') return;
  const wanted = programs.filter(({ variable }) => !process.env[variable]);
  for (const program of wanted) process.env[program.variable] = starter(program);
  const missing = wanted.filter((program) => !works(program));
  if (missing.length === 0) return;
  try {
    install(missing);
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    const names = missing.filter((program) => !works(program)).map(({ name }) => name);
    say(
      `The tests with ${names.join(' and ')} are skipped where the system has none: ${error.message}`,
    );
  }
}
