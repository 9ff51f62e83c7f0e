// Which steps of `npm test` a part of it needs: `npm test -- rust`, a file, or the name of a test.
import { existsSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

import { caller, root } from './paths.mjs';

const whole = {
  rust: { rust: {} },
  screen: { screen: true },
  browser: { hosts: ['browser'] },
  window: { hosts: ['window'] },
};

/** The whole of it: the kinds of checks, and what of each. */
export const everything = { screen: true, rust: {}, hosts: ['browser', 'window'] };

/** What one argument asks for. A path may be given from the folder where the command was typed. */
export function part(argument, isFile = (path) => existsSync(join(root, path))) {
  if (whole[argument]) return whole[argument];
  const paths = [relative(root, resolve(caller, argument)), argument];
  const path = paths.map((path) => path.replaceAll('\\', '/')).find(isFile);
  if (path === undefined) return { rust: { filters: [argument] }, unit: ['run', '-t', argument] };
  if (path.startsWith('tests/e2e/')) return { hosts: [host(path)], files: [path] };
  if (path.endsWith('.rs')) return { rust: rustFile(path) };
  return { unit: ['related', '--run', path] };
}

const host = (path) => (path.includes('desktop') ? 'window' : 'browser');

/** The tests of a Rust file: by its module, in the unit tests of its crate or in its tests. */
function rustFile(path) {
  const [, crate, folder, name] = /^(.*?)\/(src|tests)\/(.*)\.rs$/.exec(path) ?? [];
  const modules = name.replace(/(^|\/)(mod|lib|main)$/, '').split('/');
  const filters = modules[0] === '' ? [] : [`${modules.join('::')}::`];
  if (folder === 'tests') return { crate, kind: 'all', filters };
  return { crate, kind: 'unit', library: library(crate), filters };
}

/**
 * Arguments that build the unit tests of a library and nothing else. The two programs are named too, though nothing of them is
 * built: with their features the large dependencies are those of the whole, and not built again.
 */
function library(crate) {
  if (!existsSync(join(root, crate, 'src/lib.rs'))) return undefined;
  const [, name] = /^name = "(.*)"$/m.exec(readFileSync(join(root, crate, 'Cargo.toml'), 'utf8'));
  const packages = [name, 'timberline-cli', 'timberline-desktop'].flatMap((each) => ['-p', each]);
  return [...packages, '--lib'];
}
