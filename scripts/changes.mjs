// `npm run changes [-- RUNS [EVENTS]]`: how often a comparison of two halves names what changed in the second, over
// generated logs with one change each (RUNS in all, of seven kinds), and how often it stays silent where nothing did.
// Prints the figures of docs/compare.md; the seeds are the same in every run.
import { main, run } from './run.mjs';

const runs = process.argv[2] ?? '200';
const events = process.argv[3] ?? '100000';

await main(async () => {
  process.env.TIMBERLINE_CHANGES = runs;
  process.env.TIMBERLINE_CHANGES_EVENTS = events;
  const own = ['--test', 'all', '--', 'compare::', '--nocapture', '--test-threads=1'];
  await run('cargo', ['test', '--workspace', '--quiet', ...own]);
});
