import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

// They measure how long something takes, so each runs alone.
const measured = ['browser.test', 'explore.browser', 'journeys.browser'];

/** Parts run one after the other, in this order. */
function part(order: number, name: string, files: string[], atOnce: number) {
  const include = files.map((file) => `tests/e2e/${file}.ts`);
  const exclude = name === 'browser' ? measured.map((file) => `tests/e2e/${file}.ts`) : [];
  return {
    test: {
      name,
      include,
      exclude,
      environment: 'node',
      // Windows, browsers and servers are the machine's, not a thread's.
      pool: 'forks',
      maxWorkers: atOnce,
      // What a failing test shows is kept before its pages are closed, so hooks run in their order.
      sequence: { groupOrder: order, hooks: 'list' },
      setupFiles: ['tests/e2e/support/failures.ts'],
      // A test that passes only the second time is named at the end of the run, to be mended.
      retry: 1,
      // Five times as long as the slowest takes on two cores; each may hang twice.
      testTimeout: 120_000,
      hookTimeout: 120_000,
      // A failure is read at the end of a long log, so all of it is said there.
      chaiConfig: { truncateThreshold: 0 },
      // A page shows an answer by itself, as soon as the machine has time for it.
      expect: { poll: { interval: 20, timeout: 30_000 } },
    },
  } satisfies TestProjectInlineConfiguration;
}

export default defineConfig({
  test: {
    teardownTimeout: 10_000,
    projects: [
      part(1, 'browser', ['*.browser'], 2),
      part(2, 'measured', measured, 1),
      part(3, 'window', ['desktop.test', '*.desktop'], 1),
    ],
  },
});
