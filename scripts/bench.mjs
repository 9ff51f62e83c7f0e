// `npm run bench [-- LINES]`: import speed as a ratio to the physical floor measured in the same
// run, because seconds of one machine say nothing about another; the best of a few runs. Then query
// latency, next to targets scaled to the number of lines and next to a plain loop over memory. If
// TIMBERLINE_FRAMES names a case or a log, also the frame times while its timeline is brushed.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { buildPrograms, buildScreen } from './build.mjs';
import { measureFrames } from './frames.mjs';
import { data, importOnce, measure } from './measure.mjs';
import { program, root } from './paths.mjs';
import { readers } from './readers.mjs';
import { main, onPath, say } from './run.mjs';
import { setup } from './setup.mjs';

const kinds = ['access', 'json'];
const runs = 3;
const lines = Number(process.argv[2] ?? 2_000_000);

const best = (tries) => tries.reduce((a, b) => (b.cpu < a.cpu ? b : a));
const repeat = (work) => best(Array.from({ length: runs }, work));

/** The minimum work to read and store these bytes. */
function floor(file) {
  if (onPath('zstd')) {
    return {
      name: 'zstd -1',
      ...repeat(() => measure('zstd', '-1', '-q', '-T1', '-f', file, '-o', '/dev/null')),
    };
  }
  return { name: 'sha256sum', ...repeat(() => measure('sha256sum', file)) };
}

/**
 * Runs the screen's queries against a case made of this file, also during its import, and compares
 * the answers with DuckDB.
 */
function questions(file) {
  const timberline = program('timberline', 'release');
  const home = mkdtempSync(join(tmpdir(), 'timberline-bench-'));
  try {
    const place = join(home, 'questions.case');
    measure(timberline, 'import', place, file, '--json');
    const asked = measure(timberline, 'bench', place, file, '--json');
    const answers = JSON.parse(asked.output).questions.map((row) => ({
      milliseconds: row.name,
      first: row.first.toFixed(1),
      median: row.median.toFixed(2),
      target: row.target?.toFixed(2) ?? '',
      floor: row.floor.toFixed(2),
      met: row.target === null ? '' : row.median <= row.target ? 'yes' : 'no',
    }));
    return { answers, agreed: agreed(timberline, place, file) };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** The answers of DuckDB, which reads the log itself. */
function agreed(timberline, place, file) {
  const python = process.env.TIMBERLINE_PYTHON;
  if (!python || !existsSync(python)) return 'DuckDB was not asked: it could not be installed.';
  const script = join(root, 'scripts', 'agree.py');
  const compared = spawnSync(python, [script, timberline, place, file], { encoding: 'utf8' });
  return (compared.stdout + (compared.status === 0 ? '' : compared.stderr)).trim();
}

await main(async () => {
  await setup({ window: false });
  await buildScreen();
  await buildPrograms(['timberline', 'generate'], '--release');
  readers();

  const rows = [];
  const asked = [];
  for (const kind of kinds) {
    const file = await data(kind, lines);
    // Read once, so that the file is in memory for every measured run.
    measure('sha256sum', file);
    const bytes = statSync(file).size;
    const least = floor(file);
    const imported = repeat(() => importOnce(file));
    rows.push({
      data: kind,
      lines,
      MB: (bytes / 1e6).toFixed(0),
      'import s': imported.wall.toFixed(2),
      'landed s': imported.report.landed_seconds.toFixed(2),
      'CPU s': imported.cpu.toFixed(2),
      'MB/CPU s': (bytes / 1e6 / imported.cpu).toFixed(0),
      'floor CPU s': `${least.cpu.toFixed(2)} (${least.name})`,
      'times floor': (imported.cpu / least.cpu).toFixed(1),
      'on disk': (imported.report.bytes_on_disk / bytes).toFixed(3),
      'peak MB': (imported.report.peak_rss_bytes / 1e6).toFixed(0),
      'first events s': imported.report.first_published_seconds.toFixed(2),
    });
    asked.push({ kind, ...questions(file) });
  }
  console.table(rows);
  for (const { kind, answers, agreed } of asked) {
    say(`Questions to ${lines} lines of ${kind}`);
    console.table(answers);
    say(agreed);
  }
  const brushed = process.env.TIMBERLINE_FRAMES;
  if (brushed) {
    say(
      `Times between frames while the timeline of ${brushed} is brushed, and the work that each takes`,
    );
    console.table([await measureFrames([brushed])]);
  }
  say(`Best of ${runs} by CPU seconds, in ${root}`);
});
