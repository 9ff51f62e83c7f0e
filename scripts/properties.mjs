// `npm run properties [-- ROUNDS [FIRST_SEED]]`: the Rust tests with fresh seeds, to find what the fixed seed of
// `npm test` does not. A failure names its seed; what it found becomes a fixed case.
import { spawnSync } from 'node:child_process';

import { root } from './paths.mjs';
import { Stop, main, say } from './run.mjs';

const rounds = Number(process.argv[2] ?? 10);
const first = Number(process.argv[3] ?? Math.floor(Date.now() / 1000));

await main(async () => {
  for (let seed = first; seed < first + rounds; seed++) {
    say(`Seed ${seed}`);
    const env = { ...process.env, PROPTEST_RNG_SEED: String(seed) };
    const args = ['test', '--workspace', '--quiet'];
    const { status } = spawnSync('cargo', args, { cwd: root, env, stdio: 'inherit' });
    if (status !== 0) {
      throw new Stop(`A test failed with seed ${seed}. Repeat it: npm run properties -- 1 ${seed}`);
    }
  }
});
