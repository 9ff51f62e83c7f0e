#!/usr/bin/env node
// Called by cargo in place of rustdoc, once for each crate whose examples are tested. It also checks the comments of the crate:
// a link to nothing is an error. `cargo doc` would compile all dependencies again for that, and write pages.
import { spawnSync } from 'node:child_process';

const rustdoc = (args) => {
  // A stable compiler checks without writing pages only with this variable.
  const env = { ...process.env, RUSTC_BOOTSTRAP: '1' };
  return spawnSync('rustdoc', args, { stdio: 'inherit', env }).status ?? 1;
};

const args = process.argv.slice(2);
const tested = rustdoc(args);
if (tested !== 0 || !args.includes('--test')) process.exit(tested);
const ofTests = ['--test-run-directory', '--test-args', '--test-runtool', '--test-runtool-arg'];
const comments = args.filter(
  (arg, at) => arg !== '--test' && !ofTests.includes(arg) && !ofTests.includes(args[at - 1]),
);
const check = [
  '-Zunstable-options',
  '--check',
  '--document-private-items',
  '-Dwarnings',
  '-Arustdoc::private-intra-doc-links',
];
process.exit(rustdoc([...comments, ...check]));
