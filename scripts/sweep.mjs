// `npm run sweep [-- LINES [RUNS [KIND]]]`: whether the plan of `timberline tune` is right. Imports
// a log with other thread counts, segment sizes and compression levels than the plan's, on one
// core, two and more if available, and compares; then memory use under budgets, and the cost of
// committing more or less often. Prints the tables of docs/tuning.md.
import { readFileSync, statSync } from 'node:fs';
import { cpus } from 'node:os';

import { buildTools, data, importOnce, median } from './measure.mjs';
import { onPath, Stop, main, say } from './run.mjs';

const lines = Number(process.argv[2] ?? 1_000_000);
const runs = Number(process.argv[3] ?? 3);
const kind = process.argv[4] ?? 'access';
/** The plan can cost this much more than the best point of the sweep. */
const worst = 1.1;

/** The points take turns, so that other load on the machine affects all of them equally. */
function measured(file, wanted) {
  const points = wanted.map((point) => ({ ...point, tries: [] }));
  for (let turn = 0; turn < runs; turn++) {
    for (const point of points) point.tries.push(importOnce(file, point));
  }
  return points.map(({ name, tries }) => {
    const medianOf = (figure) => median(tries.map(figure));
    return {
      name,
      cpu: medianOf((done) => done.cpu),
      wall: medianOf((done) => done.wall),
      landed: medianOf((done) => done.report.landed_seconds),
      disk: medianOf((done) => done.report.bytes_on_disk),
      peak: Math.max(...tries.map((done) => done.report.peak_rss_bytes)),
      waited: tries[0].report.waited_for,
    };
  });
}

function show(bytes, points) {
  say('| | CPU s | landed s | all s | on disk | peak MB | waited for |');
  say('|---|---|---|---|---|---|---|');
  for (const at of points) {
    const figures = [at.cpu, at.landed, at.wall].map((seconds) => seconds.toFixed(2));
    const sizes = [(at.disk / bytes).toFixed(3), (at.peak / 1e6).toFixed(0)];
    say(`| ${[at.name, ...figures, ...sizes, at.waited].join(' | ')} |`);
  }
  say('');
}

function sweep(file, bytes, cores) {
  say(`On ${cores} core${cores > 1 ? 's' : ''}:\n`);
  const threads = [1, 2, 3, 4].filter((count) => count <= cores + 1);
  const at = (name, ...options) => ({ name, cores, options });
  const points = measured(file, [
    at('the plan'),
    ...threads.map((count) => at(`parsers ${count}`, '--parsers', count)),
    ...threads.map((count) => at(`indexers ${count}`, '--indexers', count)),
    ...[8, 32, 64].map((size) => at(`segments of ${size} MB`, '--segment', size)),
    ...[2, 3, 6].map((level) => at(`level ${level}`, '--level', level)),
  ]);
  show(bytes, points);
  // More compression is a different trade-off, so the plan is compared with points of its own
  // level.
  const alike = points.filter(({ name }) => !name.startsWith('level'));
  const times = (of) => points[0][of] / Math.min(...alike.map((point) => point[of]));
  const [cpu, wall] = [times('cpu'), times('wall')];
  say(
    `The plan takes ${cpu.toFixed(3)} × the CPU and ${wall.toFixed(3)} × the time of the best point.\n`,
  );
  return cpu;
}

function budgets(file, bytes) {
  say('Under a budget of memory:\n');
  const sizes = [256, 1024, 4096];
  const points = measured(
    file,
    sizes.map((budget) => ({ name: `${budget} MB`, options: ['--memory', budget] })),
  );
  show(bytes, points);
  const over = points.filter((at, place) => at.peak > sizes[place] * 2 ** 20);
  if (over.length > 0)
    throw new Stop(`over the budget: ${over.map(({ name }) => name).join(', ')}`);
}

function publications(file, bytes) {
  say('Published every so often, profile `fields`:\n');
  const often = [0.25, 1, 5, 30];
  const options = (seconds) => ['--profile', 'fields', '--publish', seconds * 1000];
  show(
    bytes,
    measured(
      file,
      often.map((seconds) => ({ name: `${seconds} s`, options: options(seconds) })),
    ),
  );
}

await main(async () => {
  if (!onPath('taskset'))
    throw new Stop('The sweep needs taskset, of util-linux, to use fewer cores.');
  await buildTools();
  const file = await data(kind, lines);
  // Read once, so that the file is in memory for every run.
  readFileSync(file);
  const bytes = statSync(file).size;
  say(`${lines} lines of ${kind} (${(bytes / 1e6).toFixed(0)} MB), the median of ${runs} runs\n`);
  const cores = [1, 2, 4, 8].filter((count) => count <= cpus().length);
  const ratios = cores.map((count) => sweep(file, bytes, count));
  budgets(file, bytes);
  publications(file, bytes);
  if (ratios.some((ratio) => ratio > worst)) {
    throw new Stop(`the plan takes more than ${worst} × the CPU of the best point`);
  }
});
