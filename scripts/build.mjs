// Builds the screen and the programs. `npm start`, `npm run dev` and `npm test` share these steps
// and the dev profile, so that each reuses what another one built.
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

import { program, root, tools } from './paths.mjs';
import { run, runNode, say } from './run.mjs';
import { isFresh, stamp } from './stamps.mjs';

const screenSources = [
  'src',
  'public',
  'index.html',
  'vite.config.ts',
  'svelte.config.js',
  'tsconfig.json',
  'package-lock.json',
];

/** Builds the screen into dist/ unless it is up to date. */
export async function buildScreen() {
  if (existsSync(join(root, 'dist', 'index.html')) && isFresh('screen', screenSources)) return;
  say('Building the screen');
  await runNode(tools.vite, ['build', '--logLevel', 'warn']);
  stamp('screen', screenSources);
}

// A clean build, approximately. Dependencies are CPU minutes that cores share: the engine's with polars
// and tantivy, and the window's on top of it. Our own crates wait for one another, however many cores there are.
const dependencies = { engine: 26, window: 9 };
const ownCrates = 6;

/** Prints how long the first build takes on this machine. */
function foretell(programs, profile) {
  if (programs.some((name) => existsSync(program(name, profile))))
    return say('Building the programs');
  const window = programs.includes('timberline-desktop') ? dependencies.window : 0;
  const minutes = Math.ceil((dependencies.engine + window) / availableParallelism() + ownCrates);
  say(`Building the programs: about ${minutes} minutes the first time, on this machine`);
}

/**
 * Builds these programs, always as part of the workspace: building one crate alone would select
 * other features of the large dependencies and compile them again for the tests.
 */
export async function buildPrograms(programs, ...options) {
  foretell(programs, options.includes('--release') ? 'release' : 'debug');
  const bins = programs.flatMap((name) => ['--bin', name]);
  await run('cargo', ['build', '--workspace', ...bins, ...options]);
}
