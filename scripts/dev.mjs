// `npm run dev [-- PATHS…]`: the workbench with live reload. The screen comes from Vite's server; a
// change in a Rust file rebuilds and restarts the host: the window, or `timberline serve` without a
// display.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { join, resolve } from 'node:path';

import { buildPrograms } from './build.mjs';
import { caller, program, root, tools } from './paths.mjs';
import { hasDisplay, main, say } from './run.mjs';
import { setup } from './setup.mjs';

const crates = ['ingest', 'indexer', 'cli', 'src-tauri'];
const screen = 'http://127.0.0.1:1420';
const paths = process.argv.slice(2).map((path) => resolve(caller, path));

// The window is built without its own copy of the screen, so that it loads the screen from Vite's
// server.
const build = () =>
  hasDisplay()
    ? buildPrograms(['timberline-desktop'], '--no-default-features')
    : buildPrograms(['timberline']);

const children = new Set();

function start(command, args, options = {}) {
  const child = spawn(command, args, { cwd: root, stdio: 'inherit', ...options });
  children.add(child);
  child.on('exit', () => children.delete(child));
  return child;
}

function stop(code) {
  for (const child of children) child.kill();
  process.exit(code);
}

function host(token) {
  if (hasDisplay()) return start(program('timberline-desktop'), paths);
  // Arguments can be read by every account of this machine, the environment cannot.
  const env = { ...process.env, TIMBERLINE_TOKEN: token };
  return start(program('timberline'), ['serve', '--port', '7531', ...paths], { env });
}

await main(async () => {
  await setup({ window: hasDisplay() });
  await build();
  process.on('SIGINT', () => stop(0));
  process.on('SIGTERM', () => stop(0));

  const token = randomBytes(16).toString('hex');
  start(process.execPath, [tools.vite]).on('exit', (code) => stop(code ?? 1));
  if (!hasDisplay()) say(`There is no display here; open ${screen}/#token=${token} in a browser.`);

  let running;
  const restart = async () => {
    const before = running;
    running = null;
    if (before) {
      // The next one needs this port.
      before.kill();
      await once(before, 'exit');
    }
    const next = host(token);
    running = next;
    // Closing the window ends the session; closing it to show its next build does not.
    next.on('exit', () => next === running && stop(0));
  };
  await restart();

  let waiting;
  let rebuilding = Promise.resolve();
  const rebuild = () => {
    const again = () => build().then(restart, (error) => say(error.message));
    rebuilding = rebuilding.then(again);
  };
  for (const crate of crates) {
    watch(join(root, crate), { recursive: true }, (_event, file) => {
      if (!/\.(rs|toml)$/.test(file ?? '')) return;
      clearTimeout(waiting);
      waiting = setTimeout(rebuild, 300);
    });
  }
});
