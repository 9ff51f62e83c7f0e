// Runs the programs of Rust tests that cargo built, two at a time: most of them wait for other
// programs, clocks and disks. Each says what it does as JSON, so that the time of every test is
// known, and which tests ran when a program was killed or hung.
import { spawn, spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';

import { root } from './paths.mjs';

const atOnce = 2;
// The longest program takes six minutes on two cores; one that takes so much longer hangs.
const limitMs = 25 * 60_000;
// What a failing test printed is in the log; more of it than this helps nobody.
const printedBytes = 20_000;

/** The test programs among these targets, of one crate or of all; `problem` says why they cannot be built. */
export function testPrograms(crate, targets) {
  const build = ['test', '--no-run', '--quiet', '--message-format=json', ...targets];
  const built = spawnSync('cargo', build, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 30 });
  if (built.status !== 0) return { programs: [], problem: built.stderr };
  const programs = built.stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .filter((made) => made.executable && made.profile?.test)
    .map((made) => ({
      path: made.executable,
      folder: dirname(made.manifest_path),
      name: name(made),
    }))
    .filter(({ folder }) => crate === undefined || folder === join(root, crate));
  return { programs, problem: null };
}

const name = ({ target, package_id: id }) =>
  `${/([\w-]+)[#@][\d.]+$/.exec(id)?.[1] ?? id} ${target.kind.includes('test') ? target.name : 'unit'}`;

const across = ({ folder }) => Number(folder === join(root, 'tests'));

/** Runs these programs with these filters; `say` gets a line for each failure, and all that is not JSON. */
export async function runTests(programs, filters, say) {
  const all = { passed: 0, failed: 0, skipped: [], failures: [], times: [] };
  // The tests across parts take longest, so they begin first.
  const waiting = [...programs].sort((a, b) => across(b) - across(a));
  const worker = async () => {
    for (let program = waiting.shift(); program; program = waiting.shift()) {
      const one = await runProgram(program, filters, say);
      all.passed += one.passed;
      all.failed += one.failures.length;
      for (const part of ['skipped', 'failures', 'times']) all[part].push(...one[part]);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return all;
}

function runProgram(program, filters, say) {
  const report = new Report(program.name);
  const args = [...filters, '--format', 'json', '-Z', 'unstable-options', '--report-time'];
  // The test harness of a stable compiler measures times too, but only with this variable.
  const env = { ...process.env, CARGO_MANIFEST_DIR: program.folder, RUSTC_BOOTSTRAP: '1' };
  return new Promise((done) => {
    const options = { cwd: program.folder, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true };
    const child = spawn(program.path, args, options);
    const end = () => process.kill(-child.pid, 'SIGKILL');
    const limit = setTimeout(() => {
      report.hangs = true;
      end();
    }, limitMs);
    const interrupted = () => {
      end();
      process.exit(130);
    };
    process.on('SIGINT', interrupted).on('SIGTERM', interrupted);
    for (const stream of [child.stdout, child.stderr]) {
      let rest = '';
      stream.setEncoding('utf8').on('data', (text) => {
        const lines = (rest + text).split('\n');
        rest = lines.pop();
        for (const line of lines) report.line(line, say);
      });
    }
    child.on('error', (error) => report.line(String(error), say));
    child.on('close', (code, signal) => {
      clearTimeout(limit);
      process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
      report.end(code, signal, say);
      done(report);
    });
  });
}

/** What a test program reports: its events, and the lines that it prints past them. */
export class Report {
  passed = 0;
  skipped = [];
  failures = [];
  times = [];
  hangs = false;
  #running = new Set();

  constructor(program) {
    this.program = program;
  }

  line(line, say) {
    const event = parsed(line);
    if (event?.type === 'test') return this.#test(event, say);
    if (event) return;
    // Cargo counts a test that returned early as passed; `tests/src/report.rs` writes why it did.
    const skip = /\bskipped ([\w:]+): (.+)$/.exec(line);
    if (skip) {
      this.skipped.push({ name: skip[1], reason: skip[2] });
      this.passed -= 1;
    }
    say(line);
  }

  #test({ name, event, exec_time: seconds, stdout }, say) {
    if (event === 'started') this.#running.add(name);
    if (event === 'started' || event === 'timeout') return;
    if (!this.#running.delete(name)) return;
    if (seconds !== undefined) this.times.push({ name: `${this.program} ${name}`, seconds });
    if (event === 'ok') this.passed += 1;
    if (event !== 'failed') return;
    this.failures.push({ name: `${this.program} ${name}`, reason: reason(stdout) });
    say(`---- ${this.program} ${name} ----\n${shortened(stdout ?? '')}`);
  }

  end(code, signal, say) {
    if (code === 0 || (this.failures.length > 0 && !signal)) return;
    const how = this.hangs
      ? 'did not end'
      : signal
        ? `was ended by ${signal}`
        : `ended with ${code}`;
    const running = [...this.#running].join(', ') || 'no test';
    this.failures.push({ name: this.program, reason: `${how} while ${running} ran` });
    say(`---- ${this.program} ${how} while ${running} ran ----`);
  }
}

function parsed(line) {
  try {
    return line.startsWith('{') ? JSON.parse(line) : null;
  } catch {
    return null;
  }
}

/** Why a test failed: the line after the place of its panic, and after empty lines. */
function reason(stdout = '') {
  const lines = stdout.split('\n');
  const at = lines.findIndex((line) => line.includes('panicked at'));
  return at < 0 ? undefined : lines.slice(at + 1).find((line) => line.trim() !== '');
}

function shortened(text) {
  if (text.length <= 2 * printedBytes) return text;
  const left = text.length - 2 * printedBytes;
  return `${text.slice(0, printedBytes)}\n… ${left} characters …\n${text.slice(-printedBytes)}`;
}
