// `npm run test:offline`: the Rust tests where there is no network but this machine's own (lo), in a network namespace of
// Linux. What connects to another machine without a configured remote fails there. Arguments are those of `cargo test`.
import { networkInterfaces } from 'node:os';
import { fileURLToPath } from 'node:url';

import { Stop, main, onPath, run, say } from './run.mjs';

const inside = '--inside';

/** Within the namespace, where the person is root as far as interfaces go. */
async function tests(args) {
  await run('ip', ['link', 'set', 'lo', 'up']);
  const others = Object.keys(networkInterfaces()).filter((name) => name !== 'lo');
  if (others.length > 0)
    throw new Stop(`There are other interfaces than lo: ${others.join(', ')}.`);
  say('There is no interface but lo.');
  await run('cargo', ['test', '--workspace', '--offline', '--no-fail-fast', ...args]);
}

await main(async () => {
  const args = process.argv.slice(2);
  if (args[0] === inside) return tests(args.slice(1));
  for (const tool of ['unshare', 'ip']) {
    if (!onPath(tool))
      throw new Stop(`${tool} is needed, which is part of Linux. Install it and try again.`);
  }
  // Crates are fetched and programs are built while there is a network.
  await run('cargo', ['build', '--workspace', '--all-targets']);
  const script = fileURLToPath(import.meta.url);
  await run('unshare', ['--map-root-user', '--net', process.execPath, script, inside, ...args]);
});
