// Starts other programs and prints plain status lines.
import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

import { root } from './paths.mjs';

export function say(line) {
  process.stdout.write(`${line}\n`);
}

/** A problem that the person can solve: its text is the whole message, without a stack. */
export class Stop extends Error {}

/** Runs a program to its end with visible output, and stops the script if it fails. */
export function run(command, args, options = {}) {
  return new Promise((done, fail) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', ...options });
    child.on('error', (error) =>
      fail(new Stop(`${command} could not be started: ${error.message}`)),
    );
    child.on('exit', (code, signal) => {
      if (code === 0) done();
      else fail(new Stop(`${command} ${args[0] ?? ''} failed (${signal ?? `exit code ${code}`})`));
    });
  });
}

export const runNode = (script, args, options) => run(process.execPath, [script, ...args], options);

/** What a program prints, or null if it is missing or fails. */
export function ask(command, args) {
  const answer = spawnSync(command, args, { cwd: root, encoding: 'utf8' });
  return answer.status === 0 ? answer.stdout.trim() : null;
}

/** The full path of a program on PATH, or null. */
export function onPath(name) {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not in this folder; try the next one.
    }
  }
  return null;
}

/** True if a window can be shown. */
export function hasDisplay() {
  if (process.platform !== 'linux') return true;
  return Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
}

/** Runs a script's main function and prints its failure as a sentence. */
export async function main(work) {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    process.stderr.write(`\n${error.message}\n`);
    process.exitCode = 1;
  }
}
