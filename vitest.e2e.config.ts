import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Each part of the screen has tests of its own: in the browser in *.browser.ts, in the window in *.desktop.ts.
    include: ['tests/e2e/*.{test,browser,desktop}.ts'],
    environment: 'node',
    // Windows, browsers and servers are the machine's, not a thread's: one file at a time, in a process.
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    teardownTimeout: 10_000,
  },
});
