// Makes logs, runs the command line on them, and measures it from outside, for the benchmarks.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { program, targetFolder } from './paths.mjs';
import { Stop, run, say } from './run.mjs';

/** Release builds of the command line and the log generator. */
export async function buildTools() {
  const tools = ['-p', 'timberline-cli', '-p', 'timberline-generate'];
  await run('cargo', ['build', '--release', '--quiet', ...tools]);
}

/** Runs a command and measures it from outside: wall-clock seconds and CPU seconds over all its threads. */
export function measure(command, ...args) {
  const script = 'TIMEFORMAT="%R %U %S"; time "$@" 2>/dev/null';
  const done = spawnSync('bash', ['-c', script, 'measure', command, ...args], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
    maxBuffer: 64 << 20,
  });
  if (done.status !== 0) throw new Stop(`${command} ${args.join(' ')} failed`);
  const [wall, user, system] = done.stderr.trim().split(/\s+/).map(Number);
  return { wall, cpu: user + system, output: done.stdout };
}

/** Seeded data, made once and kept in cargo's target folder. */
export async function data(kind, lines, profile = 'release') {
  const folder = join(targetFolder(), 'bench');
  const file = join(folder, `${kind}-${lines}.log`);
  mkdirSync(folder, { recursive: true });
  if (existsSync(file)) return file;
  say(`Making ${file}`);
  const script = '"$1" "$2" "$3" > "$4.part" && mv "$4.part" "$4"';
  const generate = program('generate', profile);
  await run('bash', ['-c', script, 'data', generate, kind, String(lines), file]);
  return file;
}

/** Imports into a temporary case on a number of cores, and removes it. */
export function importOnce(file, { cores = 0, options = [] } = {}) {
  const home = mkdtempSync(join(tmpdir(), 'timberline-bench-'));
  try {
    const command = [program('timberline', 'release'), 'import', join(home, 'bench.case'), file];
    const pinned = cores > 0 ? ['taskset', '-c', `0-${cores - 1}`] : [];
    const figures = measure(...pinned, ...command, '--json', ...options.map(String));
    return { ...figures, report: JSON.parse(figures.output) };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

export const median = (numbers) => {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
};
