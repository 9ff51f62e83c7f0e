// `timberline listen` as it is measured: started with options, asked over HTTP, looked at from outside, and ended.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

import { buildPrograms } from './build.mjs';
import { program } from './paths.mjs';
import { Stop } from './run.mjs';

/** The options of a script: `--name value` pairs, and flags without a value. */
export function options(flags = []) {
  const found = {};
  const words = process.argv.slice(2);
  while (words.length > 0) {
    const word = words.shift();
    const [name, value] = word.replace(/^--/, '').split('=', 2);
    if (!word.startsWith('--')) throw new Stop(`"${word}" is no option`);
    found[name] = value ?? (flags.includes(name) ? true : words.shift());
    if (found[name] === undefined) throw new Stop(`${word} needs a value`);
  }
  return found;
}

/** Builds what is measured. Programs of the development build are for trying the scripts. */
export async function build(profile) {
  await buildPrograms(['timberline', 'load'], ...(profile === 'release' ? ['--release'] : []));
}

/** CPU seconds of a process so far. */
export function cpu(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Megabytes of memory that a process has, now or at most. */
export function memory(pid, which = 'VmRSS') {
  const line = readFileSync(`/proc/${pid}/status`, 'utf8').match(new RegExp(`${which}:\\s+(\\d+)`));
  return Number(line?.[1] ?? 0) / 1024;
}

export class Receiver {
  /** Starts it, and waits until it listens. `sources` are the options that name them. */
  static async start(home, profile, sources, more = []) {
    const folder = join(home, 'live.case');
    const child = spawn(
      program('timberline', profile),
      ['listen', folder, ...sources, '--json', '--stats', '1s', ...more],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    const receiver = new Receiver(child, folder);
    child.on('error', (error) => (receiver.ended = error.message));
    child.on('exit', (code) => (receiver.ended = code ?? 'a signal'));
    const lines = createInterface({ input: child.stdout });
    lines.on('line', (line) => receiver.#take(JSON.parse(line)));
    createInterface({ input: child.stderr }).on('line', (line) => receiver.said.push(line));
    await receiver.until('it listens', () => receiver.listening.length > 0);
    return receiver;
  }

  constructor(child, folder) {
    this.child = child;
    this.folder = folder;
    this.listening = [];
    this.statistics = null;
    this.said = [];
  }

  #take(line) {
    if (line.listening) this.listening = line.listening;
    else if (line.sources) this.statistics = line;
  }

  async until(what, is, patienceMs = 600_000) {
    const began = Date.now();
    while (!(await is())) {
      if (this.ended !== undefined) throw new Stop(this.#end());
      if (Date.now() - began > patienceMs) throw new Stop(`waited for ever until ${what}`);
      await sleep(5);
    }
  }

  /** Where the first source of a kind listens: `http`, `syslog/tcp`. */
  address(kind) {
    return this.listening.find((one) => one.kind === kind)?.address;
  }

  get pid() {
    return this.child.pid;
  }

  /** A counter of all sources together. */
  sum(counter) {
    const sources = Object.values(this.statistics?.sources ?? {});
    return sources.reduce((sum, source) => sum + source[counter], 0);
  }

  /** Records that were turned away for a reason. */
  rejected(reason) {
    const sources = Object.values(this.statistics?.sources ?? {});
    return sources.reduce((sum, source) => sum + (source.rejected[reason] ?? 0), 0);
  }

  /** What was dropped because it is older or more than is to be kept. */
  dropped() {
    const found = this.said.map((line) => Number(line.match(/^dropped (\d+) events/)?.[1] ?? 0));
    return found.reduce((sum, events) => sum + events, 0);
  }

  /** What the case lists at the moment. */
  manifest() {
    const file = join(this.folder, 'case.json');
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { segments: [] };
  }

  segments() {
    return this.manifest().segments.length;
  }

  events() {
    return this.manifest().segments.reduce((sum, { events }) => sum + events, 0);
  }

  /** What the case takes on the disk. Files and folders may be gone while they are counted. */
  bytes(folder = this.folder) {
    let sum = 0;
    for (const entry of entries(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) sum += this.bytes(path);
      else sum += statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    }
    return sum;
  }

  /** Asks over HTTP; gives the answer and how many milliseconds it took. */
  async search(body) {
    const began = performance.now();
    const answer = await fetch(`http://${this.address('http')}/_search`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).catch((error) => {
      throw new Stop(this.ended === undefined ? `no answer: ${error.message}` : this.#end());
    });
    const found = await answer.json();
    if (!answer.ok) throw new Stop(`it was asked and answered: ${JSON.stringify(found)}`);
    return { found, ms: performance.now() - began };
  }

  /** Ends it in order. */
  async stop() {
    if (this.ended === undefined) {
      this.child.kill('SIGTERM');
      await once(this.child, 'exit');
    }
    if (this.ended !== 0) throw new Stop(this.#end());
  }

  #end() {
    return `it ended with ${this.ended}: ${this.said.join('\n')}`;
  }

  /** Ends it at once, where measuring failed. */
  async kill() {
    if (this.ended !== undefined) return;
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
  }
}

/** What is in a folder, if it is still there. */
function entries(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return [];
  }
}

/** Sends logs; gives what it counted when it has ended. */
export function load(profile, targets, rate, seconds) {
  const child = spawn(
    program('load', profile),
    [...targets, '--rate', String(rate), '--seconds', String(seconds)],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  let report = '';
  child.stdout.on('data', (text) => (report += text));
  const ended = once(child, 'exit').then(([code]) => {
    if (code !== 0) throw new Stop(`sending ended with ${code}`);
    return JSON.parse(report);
  });
  return { child, ended, stop: () => child.stdin.end() };
}

/** The value that this part of all is not beyond. */
export function percentile(numbers, part) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? 0;
}
