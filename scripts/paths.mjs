// Paths of the project. Everything is resolved from this file's location, so that the scripts work
// from any folder and without git.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
export const modules = join(root, 'node_modules');

/** The folder in which the command was typed; npm itself changes to the project's folder. */
export const caller = process.env.INIT_CWD ?? process.cwd();

/** The programs of npm packages, run as `node SCRIPT`, which needs no shell on any system. */
export const tools = {
  vite: join(modules, 'vite', 'bin', 'vite.js'),
  vitest: join(modules, 'vitest', 'vitest.mjs'),
  eslint: join(modules, 'eslint', 'bin', 'eslint.js'),
  prettier: join(modules, 'prettier', 'bin', 'prettier.cjs'),
  svelteCheck: join(modules, 'svelte-check', 'bin', 'svelte-check'),
  tsc: join(modules, 'typescript', 'bin', 'tsc'),
  tauri: join(modules, '@tauri-apps', 'cli', 'tauri.js'),
};

// rustup adds its folder to PATH only in new shells; the shell that installed it has to find it
// too.
const cargoHome = join(process.env.CARGO_HOME ?? join(homedir(), '.cargo'), 'bin');
if (existsSync(cargoHome) && !process.env.PATH.split(delimiter).includes(cargoHome)) {
  process.env.PATH += delimiter + cargoHome;
}

/** Cargo's target folder, which CARGO_TARGET_DIR or cargo's settings can move. */
export function targetFolder() {
  const metadata = execFileSync(
    'cargo',
    ['metadata', '--no-deps', '--format-version', '1', '--quiet'],
    { cwd: root, encoding: 'utf8', maxBuffer: 64 << 20 },
  );
  return JSON.parse(metadata).target_directory;
}

/** A program that cargo built: `timberline`, `timberline-desktop` or `generate`. */
export function program(name, profile = 'debug') {
  return join(targetFolder(), profile, process.platform === 'win32' ? `${name}.exe` : name);
}
