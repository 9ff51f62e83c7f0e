// `npm test`: set-up, then every check and every test, a plain line each. A failing step does not
// hide the ones after it. The last line says how many tests passed, were skipped and failed.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { buildScreen } from './build.mjs';
import { clients } from './clients.mjs';
import { root, tools } from './paths.mjs';
import { readers } from './readers.mjs';
import { main, say } from './run.mjs';
import { setup } from './setup.mjs';
import { Steps } from './steps.mjs';

const out = join(root, 'tests', 'out');
const workspace = ['--workspace', '--all-targets', '--quiet'];

await main(async () => {
  process.env.CI ??= 'true';
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  await setup({ tests: true });
  readers();
  clients();

  const steps = new Steps(out);
  const node = (name, script, ...args) => steps.run(name, process.execPath, [script, ...args]);
  const cargo = (name, ...args) => steps.run(name, 'cargo', args);

  await cargo('Rust format', 'fmt', '--all', '--check');
  await node('Format of the front end', tools.prettier, '--check', '.');
  await node('Lint of the front end', tools.eslint, '.');
  await node('Types of the front end', tools.svelteCheck, '--fail-on-warnings');
  await node('Types of the tests', tools.tsc, '-p', 'tests/e2e');
  await node('Unit tests of the front end', tools.vitest, 'run', ...steps.vitestReport('unit'));
  const screen = await steps.call('Build of the screen', buildScreen);

  // Clippy compiles as it lints, so that dependencies and code are compiled once and the tests find
  // everything built. If clippy fails, the code is built without it, so that the tests still run.
  process.env.RUSTC_WORKSPACE_WRAPPER = 'clippy-driver';
  process.env.CLIPPY_ARGS = '-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__';
  let built = await cargo('Rust lint and build', 'build', ...workspace);
  if (!built) {
    delete process.env.RUSTC_WORKSPACE_WRAPPER;
    built = await cargo('Rust build', 'build', ...workspace);
  }
  // The property tests draw the same cases in every run; `npm run properties` draws others.
  process.env.PROPTEST_RNG_SEED ??= '1';
  say(`Property tests draw from seed ${process.env.PROPTEST_RNG_SEED}.`);
  await cargo('Rust tests', 'test', '--workspace', '--no-fail-fast');

  const hosts = ['browser', 'desktop'];
  if (!screen || !built)
    say('The tests in the browser and the window need the build, and are left out.');
  else {
    for (const host of hosts) {
      // Parts of the screen have tests of their own besides those of the whole.
      const files = [`tests/e2e/${host}.test.ts`, `.${host}.ts`];
      const config = ['--config', 'vitest.e2e.config.ts', ...files];
      await node(
        `Tests in the ${host}`,
        tools.vitest,
        'run',
        ...config,
        ...steps.vitestReport(host),
      );
    }
  }
  steps.finish();
});
