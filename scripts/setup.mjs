// Prepares a fresh machine: checks Node and Rust, installs system packages and npm packages. A
// second run finds everything in place and returns immediately.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { systemPackages } from './packages.mjs';
import { root } from './paths.mjs';
import { Stop, ask, main, run, say } from './run.mjs';

function checkNode() {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < 20) {
    throw new Stop(
      `Timberline needs Node 20 or newer; this is ${process.version}. See nodejs.org.`,
    );
  }
}

const older = (version, wanted) => {
  const [a, b] = [version, wanted].map((text) => text.split('.').map(Number));
  return a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]);
};

async function checkRust({ tests }) {
  const found = ask('cargo', ['--version'])?.match(/(\d+\.\d+)/)?.[1];
  if (!found) {
    throw new Stop(
      'Timberline is built with Rust, which was not found. Install it from https://rustup.rs',
    );
  }
  const manifest = readFileSync(join(root, 'Cargo.toml'), 'utf8');
  const wanted = manifest.match(/rust-version = "([\d.]+)"/)[1];
  if (older(found, wanted)) {
    throw new Stop(`Timberline needs Rust ${wanted}; this is ${found}. Run: rustup update stable`);
  }
  // A minimal toolchain lacks the two components that the checks use.
  if (tests && ['fmt', 'clippy'].some((tool) => ask('cargo', [tool, '--version']) === null)) {
    await run('rustup', ['component', 'add', 'rustfmt', 'clippy']);
  }
}

const versions = (lockfile) => {
  const path = join(root, lockfile);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).packages : null;
};

/** True if the installed packages match the lockfile; packages for other systems can be absent. */
function npmPackagesStand() {
  const [wanted, installed] = ['package-lock.json', 'node_modules/.package-lock.json'].map(
    versions,
  );
  if (!wanted || !installed) return false;
  return Object.entries(wanted).every(
    ([path, { version, optional }]) =>
      path === '' || (installed[path] ? installed[path].version === version : optional),
  );
}

async function npmPackages() {
  if (npmPackagesStand()) return;
  say('Installing npm packages');
  // npm is a shell script on Windows, so only a shell can start it.
  const shell = process.platform === 'win32';
  const verb = existsSync(join(root, 'package-lock.json')) ? 'ci' : 'install';
  await run('npm', [verb, '--no-audit', '--no-fund', '--loglevel=error'], { shell });
}

/**
 * Installs everything that building needs, including the window by default; with `tests`, also what
 * the tests use.
 */
export async function setup({ tests = false, window = true } = {}) {
  checkNode();
  await systemPackages({ tests, window });
  await checkRust({ tests });
  await npmPackages();
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(() => setup({ tests: process.argv.includes('--tests') }));
}
