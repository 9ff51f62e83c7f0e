// The steps of a test run: each writes its output to a file, is timed and counted, and prints one
// line.
import { spawn } from 'node:child_process';
import { createWriteStream, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

import { root } from './paths.mjs';
import { runTests, testPrograms } from './rusttests.mjs';
import { say } from './run.mjs';

// The failure comes first, and the last output is often the reason.
const headLines = 20;
const tailLines = 40;
// After this long without output a step prints that it is still running.
const stillRunningMs = 120_000;
// A clean build of the dependencies takes about 25 minutes on two cores; a step that takes longer
// than this hangs.
const limitMs = 40 * 60_000;

// The ten slowest tests of a step are named at the end of the run.
const slowTests = 10;
const slowSeconds = 2;

const plain = (text) => stripVTControlCharacters(text);

/** Reads vitest's report. A test file that could not be loaded counts as one failure. */
export function vitestCounts(report) {
  const unloaded = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  );
  const tests = report.testResults.flatMap((file) => file.assertionResults);
  const skips = tests.filter((test) => !['passed', 'failed'].includes(test.status));
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + unloaded.length,
    skipped: skips.map((test) => ({
      name: test.fullName,
      reason: `vitest calls it ${test.status}`,
    })),
    // Vitest keeps why a test failed at first.
    unsteady: tests
      .filter((test) => test.status === 'passed' && test.failureMessages?.length > 0)
      .map((test) => ({ name: test.fullName, reason: firstLine(test.failureMessages[0]) })),
    times: tests.map((test) => ({ name: test.fullName, seconds: (test.duration ?? 0) / 1000 })),
    failures: [
      ...unloaded.map((file) => ({ name: file.name, reason: firstLine(file.message) })),
      ...tests
        .filter((test) => test.status === 'failed')
        .map((test) => ({ name: test.fullName, reason: firstLine(test.failureMessages?.[0]) })),
    ],
  };
}

const firstLine = (message) => plain(message ?? '').split('\n')[0];

/** The first error that a compiler or linter wrote, with the line that says where. */
export function firstError(output) {
  const lines = plain(output).split('\n');
  const at = lines.findIndex((line) => /^error|\serror\s/.test(line));
  return at < 0
    ? ''
    : [lines[at], lines[at + 1] ?? '']
        .map((line) => line.trim())
        .join(' ')
        .trim();
}

/** Passed, skipped and failed, as in the line of a step and the last one of a run. */
export function countsLine({ passed, skipped, failed }) {
  return `${passed} passed, ${skipped} skipped, ${failed} failed`;
}

function countsOf(args) {
  const report = args.find((arg) => arg.startsWith('--outputFile.json='))?.split('=')[1];
  if (!report || !existsSync(report)) return null;
  const counts = vitestCounts(JSON.parse(readFileSync(report, 'utf8')));
  // Where a name was asked for, vitest calls all others skipped.
  return args.includes('-t') ? { ...counts, skipped: [] } : counts;
}

/** The tests that took longest, if the step took long enough for anybody to ask. */
export function slowest(times) {
  const long = times.filter(({ seconds }) => seconds >= slowSeconds);
  return long.sort((a, b) => b.seconds - a.seconds).slice(0, slowTests);
}

export class Steps {
  #out;
  #passed = 0;
  #skipped = [];
  #failures = [];
  #failed = 0;
  #unsteady = [];
  #slow = [];
  #began = Date.now();

  constructor(out) {
    this.#out = out;
  }

  /** Arguments that make vitest write its counts to the file that the step with this name reads. */
  vitestReport(name) {
    const file = join(this.#out, `${name}.json`);
    return ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  }

  /** Runs a program as a step; true when it succeeded. */
  async run(title, command, args) {
    const log = join(this.#out, `${title.toLowerCase().replaceAll(' ', '-')}.log`);
    const { value: code, seconds } = await this.#timed(title, () => logged(command, args, log));
    const output = readFileSync(log, 'utf8');
    const counts = countsOf(args);
    const succeeded = code === 0;
    if (!succeeded && !counts) this.#failures.push({ name: title, reason: firstError(output) });
    return this.#conclude({ title, seconds }, succeeded, counts, () => tail(output, log));
  }

  /** Runs Rust tests as a step; true when none failed. Nobody reads of each that passed, so the log has the others. */
  async rustTests(title, { crate, filters = [] }, targets) {
    const log = join(this.#out, `${title.toLowerCase().replaceAll(' ', '-')}.log`);
    const file = createWriteStream(log);
    const write = (line) => file.write(`${plain(line)}\n`);
    const { value: counts, seconds } = await this.#timed(title, async () => {
      const { programs, problem } = testPrograms(crate, targets);
      if (problem === null) return runTests(programs, filters, write);
      write(problem);
      return null;
    });
    await new Promise((done) => file.end(done));
    const succeeded = counts !== null && counts.failed === 0;
    const explain = () => tail(readFileSync(log, 'utf8'), log);
    return this.#conclude({ title, seconds }, succeeded, counts, explain);
  }

  /** Runs a function as a step; true when it did not throw. */
  async call(title, work) {
    let problem;
    const { seconds } = await this.#timed(title, () => work().catch((error) => (problem = error)));
    return this.#conclude({ title, seconds }, !problem, null, () => problem.message);
  }

  async #timed(title, work) {
    const began = Date.now();
    const seconds = () => ((Date.now() - began) / 1000).toFixed(1);
    const alive = setInterval(() => say(`  … ${title}: ${seconds()} s`), stillRunningMs);
    try {
      return { value: await work(), seconds: seconds() };
    } finally {
      clearInterval(alive);
    }
  }

  #conclude({ title, seconds }, succeeded, counts, explain) {
    this.#passed += counts?.passed ?? 0;
    this.#skipped.push(...(counts?.skipped ?? []));
    this.#failures.push(...(counts?.failures ?? []));
    this.#unsteady.push(...(counts?.unsteady ?? []));
    this.#slow.push(...slowest(counts?.times ?? []).map((test) => ({ title, ...test })));
    // A step that failed without a failing test, such as a lint, counts as one failure.
    const failed = Math.max(counts?.failed ?? 0, succeeded ? 0 : 1);
    this.#failed += failed;
    const tests = counts
      ? `, ${countsLine({ ...counts, skipped: counts.skipped.length, failed })}`
      : '';
    say(`${succeeded ? 'ok    ' : 'FAILED'} ${title} (${seconds} s${tests})`);
    if (!succeeded) say(explain());
    return succeeded;
  }

  /** Prints the totals and sets the exit code. */
  finish() {
    const minutes = ((Date.now() - this.#began) / 60_000).toFixed(1);
    const figures = join(this.#out, 'figures.txt');
    if (existsSync(figures)) say(readFileSync(figures, 'utf8').trimEnd());
    say(`All steps took ${minutes} minutes. Logs and screenshots: ${relative(root, this.#out)}`);
    for (const { title, name, seconds } of this.#slow)
      say(`slow ${title}: ${seconds.toFixed(1)} s ${name}`);
    for (const { name, reason } of this.#skipped) say(`skipped ${name}: ${reason}`);
    for (const { name, reason } of this.#unsteady)
      say(`unsteady ${name} passed the second time, after: ${reason}`);
    // Again, because the output of a failing step can be cut out of a long log, and its end is kept.
    for (const { name, reason } of this.#failures)
      say(`failed ${name}${reason ? `: ${reason}` : ''}`);
    const kept = readdirSync(this.#out).filter((name) => name.startsWith('failed-'));
    if (kept.length > 0) say(`of failed tests: ${kept.join(', ')}`);
    const counts = { passed: this.#passed, skipped: this.#skipped.length, failed: this.#failed };
    say(countsLine(counts));
    if (this.#failed > 0 || this.#passed === 0) process.exitCode = 1;
  }
}

function logged(command, args, log) {
  return new Promise((done) => {
    const file = createWriteStream(log);
    // A process group of its own, so that a hanging step is ended together with its children.
    const stdio = ['ignore', 'pipe', 'pipe'];
    const child = spawn(command, args, { cwd: root, stdio, detached: true });
    const end = () => process.kill(-child.pid, 'SIGKILL');
    const limit = setTimeout(() => {
      file.write(`\nThis step was ended after ${limitMs / 60_000} minutes.\n`);
      end();
    }, limitMs);
    const interrupted = () => {
      end();
      process.exit(130);
    };
    process.on('SIGINT', interrupted).on('SIGTERM', interrupted);
    child.stdout.pipe(file, { end: false });
    child.stderr.pipe(file, { end: false });
    child.on('error', (error) => file.end(String(error), () => done(1)));
    child.on('close', (code) => {
      clearTimeout(limit);
      process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
      file.end(() => done(code ?? 1));
    });
  });
}

function tail(output, log) {
  const lines = plain(output).trimEnd().split('\n');
  const left = lines.length - headLines - tailLines;
  if (left > 0) lines.splice(headLines, left, `… ${left} lines …`);
  return [...lines.map((line) => `  | ${line}`), `  The whole output is in ${log}`].join('\n');
}
