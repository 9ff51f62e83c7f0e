import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Each part of the screen has its tests in the browser in a file of its own, *.browser.ts.
    include: ['tests/e2e/*.{test,browser}.ts'],
    environment: 'node',
    // Windows, browsers and servers are the machine's, not a thread's: one file at a time, in a process.
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 10_000,
  },
});
