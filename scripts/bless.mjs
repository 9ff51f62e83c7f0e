// `npm run bless`: rewrites the golden files: outputs in tests/cases, the generated TypeScript
// types, the language reference, and the screenshot in docs/images. Read the diff before committing
// it.
import { buildScreen } from './build.mjs';
import { tools } from './paths.mjs';
import { main, run, runNode, say } from './run.mjs';
import { setup } from './setup.mjs';

await main(async () => {
  process.env.TIMBERLINE_BLESS = '1';
  await setup({ tests: true });
  await buildScreen();
  await run('cargo', ['build', '--workspace', '--all-targets']);
  const tests = ['typescript::', 'cases::', 'language::'];
  await run('cargo', ['test', '--workspace', '--quiet', '--test', 'all', '--', ...tests]);
  const browser = ['--config', 'vitest.e2e.config.ts', 'tests/e2e/browser.test.ts'];
  await runNode(tools.vitest, ['run', ...browser]);
  say('Golden files are renewed; read `git diff` before committing.');
});
