// `npm test`: set-up, then every check and every test, a plain line each. A failing step does not
// hide the ones after it. The last line says how many tests passed, were skipped and failed.
// `npm test -- PART` runs a part: rust, screen, browser, window, a file, or the name of a test.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { buildScreen } from './build.mjs';
import { clients } from './clients.mjs';
import { everything, part } from './parts.mjs';
import { root, tools } from './paths.mjs';
import { readers } from './readers.mjs';
import { main, say } from './run.mjs';
import { setup } from './setup.mjs';
import { Steps } from './steps.mjs';

const out = join(root, 'tests', 'out');
const argument = process.argv[2];
const { screen, unit, rust, hosts = [], files = [] } = argument ? part(argument) : everything;

/** A file of Rust needs fewer test programs than the whole. Tests across parts start the programs themselves. */
function targets(rust) {
  if (rust?.library) return rust.library;
  const some = { unit: ['--lib', '--bins'], all: ['--test', 'all', '--bins'] };
  return ['--workspace', ...(some[rust?.kind] ?? (rust ? ['--all-targets'] : ['--bins']))];
}

await main(async () => {
  process.env.CI ??= 'true';
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  await setup({ tests: true });

  const steps = new Steps(out);
  const node = (name, script, ...args) => steps.run(name, process.execPath, [script, ...args]);
  const cargo = (name, ...args) => steps.run(name, 'cargo', args);
  const vitest = (name, report, ...args) =>
    node(name, tools.vitest, ...args, ...steps.vitestReport(report));

  if (rust && !argument) await cargo('Rust format', 'fmt', '--all', '--check');
  if (screen) {
    await node('Format of the front end', tools.prettier, '--check', '.');
    await node('Lint of the front end', tools.eslint, '.');
    await node('Types of the front end', tools.svelteCheck, '--fail-on-warnings');
    await node('Types of the tests', tools.tsc, '-p', 'tests/e2e');
  }
  if (screen || unit) await vitest('Unit tests of the front end', 'unit', ...(unit ?? ['run']));

  let screenBuilt = false;
  let built = false;
  // Clippy compiles as it lints, so that dependencies and code are compiled once and the tests find everything built.
  process.env.RUSTC_WORKSPACE_WRAPPER = 'clippy-driver';
  process.env.CLIPPY_ARGS = '-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__';
  if (rust?.library) {
    built = true;
  } else if (rust || hosts.length > 0) {
    // The programs have the screen in them, so it is built first.
    screenBuilt = await steps.call('Build of the screen', buildScreen);
    const build = ['build', '--quiet', ...targets(rust)];
    built = await cargo('Rust lint and build', ...build);
    if (!built) {
      // Without clippy, so that the tests still run.
      delete process.env.RUSTC_WORKSPACE_WRAPPER;
      built = await cargo('Rust build', ...build);
    }
  }
  if (rust && built) {
    if (!rust.library) {
      readers();
      clients();
    }
    // The property tests draw the same cases in every run; `npm run properties` draws others.
    process.env.PROPTEST_RNG_SEED ??= '1';
    say(`Property tests draw from seed ${process.env.PROPTEST_RNG_SEED}.`);
    await steps.rustTests('Rust tests', rust, targets(rust));
    if (!argument) {
      // Windows starts no script by its first line.
      if (process.platform !== 'win32') process.env.RUSTDOC = join(root, 'scripts', 'rustdoc.mjs');
      await cargo('Comments and their examples', 'test', '--workspace', '--doc', '--quiet');
    }
  }
  for (const host of built && screenBuilt ? hosts : []) {
    const projects = { browser: ['browser', 'measured'], window: ['window'] }[host];
    const chosen = projects.flatMap((name) => ['--project', name]);
    const config = ['--config', 'vitest.e2e.config.ts', ...chosen, ...files];
    await vitest(`Tests in the ${host}`, host, 'run', ...config);
  }
  steps.finish();
});
