import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['tests/e2e/*.test.ts', 'tests/e2e/*.browser.ts'],
    environment: 'node',
    // Windows, browsers and servers are the machine's, not a thread's: one file at a time, in a process.
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 10_000,
  },
});
