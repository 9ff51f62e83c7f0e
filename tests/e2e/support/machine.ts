/** The machine's part of the tests: built programs, temporary folders, processes, time. */
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { program, root } from '../../../scripts/paths.mjs';

/** Screenshots and logs of the run; git ignores it. */
export const out = join(root, 'tests', 'out');
mkdirSync(out, { recursive: true });

function built(name: string): string {
  const path = program(name);
  if (!existsSync(path)) throw new Error(`${path} is not built; run: cargo build --workspace`);
  return path;
}

export const timberline = built('timberline');
export const window = built('timberline-desktop');
export const generate = built('generate');

const folders: string[] = [];

/** A folder that is removed when the tests end. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'timberline-e2e-'));
  folders.push(folder);
  return folder;
}

process.on('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/**
 * Starts a program with its output in a file. Inherited or unread pipes have kept vitest from
 * ending, so the only pipe is the one a test requests.
 */
export function start(
  name: string,
  command: string,
  args: string[],
  options: SpawnOptions & { pipe?: boolean } = {},
): ChildProcess {
  const log = openSync(join(out, `${name}.log`), 'a');
  const { pipe, ...rest } = options;
  return spawn(command, args, { stdio: ['ignore', pipe ? 'pipe' : log, log], ...rest });
}

export function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((done) => {
    child.once('exit', () => done());
    child.kill();
    setTimeout(() => child.kill('SIGKILL'), 30_000).unref();
  });
}

/** The first line that a child writes to its piped stdout. */
export function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((done, fail) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('\n')) done(text.slice(0, text.indexOf('\n')).trim());
    });
    child.once('error', fail);
    child.once('exit', (code) => fail(new Error(`ended with ${code} before it said anything`)));
  });
}

/** Records a measurement for the end of the run. */
export function figure(line: string): void {
  appendFileSync(join(out, 'figures.txt'), `${line}\n`);
}

export const sleep = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

/** Polls until there is an answer; names what was missing on time-out. */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  limitMs = 30_000,
): Promise<T> {
  const until = Date.now() + limitMs;
  let last: unknown;
  while (Date.now() < until) {
    try {
      const answer = await ask();
      if (answer !== null && answer !== undefined && answer !== false) return answer;
    } catch (error) {
      last = error;
    }
    await sleep(20);
  }
  throw new Error(`waited ${limitMs} ms in vain for ${what}${last ? `: ${String(last)}` : ''}`);
}
