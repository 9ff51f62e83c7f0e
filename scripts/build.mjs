// Building the screen and the programs. `npm start`, `npm run dev` and `npm test` share these steps and
// the dev profile, so that what one of them built the others find ready.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { root, tools } from './paths.mjs';
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

/** Builds the screen into dist/, when it is not there already. */
export async function buildScreen() {
  if (existsSync(join(root, 'dist', 'index.html')) && isFresh('screen', screenSources)) return;
  say('Building the screen');
  await runNode(tools.vite, ['build', '--logLevel', 'warn']);
  stamp('screen', screenSources);
}

/**
 * Builds every program. Always the whole workspace: one crate alone would ask for other features of the
 * large dependencies, and they would be built again.
 */
export async function buildPrograms(...options) {
  say('Building the programs (the first time takes some minutes)');
  await run('cargo', ['build', '--workspace', '--quiet', ...options]);
}
