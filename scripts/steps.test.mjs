import { expect, it } from 'vitest';

import { cargoCounts, countsLine, vitestCounts } from './steps.mjs';

it('counts a skipped Rust test as skipped, with its reason, and not as passed', () => {
  const log = [
    'running 3 tests',
    'skipped logger_is_a_client: the program logger is not installed',
    'test a_test_of_skipped_files ... ok',
    // Without threads cargo writes the name of a test before it runs.
    'test formats::zstd ... skipped formats::zstd: the program zstd is not installed',
    'ok',
    'test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out',
    '---- store::opens stdout ----',
    'test result: FAILED. 4 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out',
  ].join('\n');
  const counts = cargoCounts(log);
  expect(counts).toEqual({
    passed: 5,
    failed: 2,
    skipped: [
      { name: 'logger_is_a_client', reason: 'the program logger is not installed' },
      { name: 'formats::zstd', reason: 'the program zstd is not installed' },
    ],
    failures: [{ name: 'store::opens' }],
  });
  expect(countsLine({ ...counts, skipped: counts.skipped.length })).toBe(
    '5 passed, 2 skipped, 2 failed',
  );
});

it('counts a killed Rust test program as one failure', () => {
  const log = "process didn't exit successfully: `tests` (signal: 9, SIGKILL: kill)";
  expect(cargoCounts(log)).toEqual({ passed: 0, failed: 1, skipped: [], failures: [] });
});

it('names the tests that vitest skipped, and those that failed with the first line of why', () => {
  const report = {
    numPassedTests: 1,
    numFailedTests: 1,
    testResults: [
      {
        status: 'passed',
        assertionResults: [
          { fullName: 'opens', status: 'passed' },
          { fullName: 'closes', status: 'skipped' },
          { fullName: 'finds', status: 'failed', failureMessages: ['Error: none\n    at finds'] },
        ],
      },
      { status: 'failed', name: 'a.test.ts', message: 'no such module', assertionResults: [] },
    ],
  };
  const skipped = [{ name: 'closes', reason: 'vitest calls it skipped' }];
  const failures = [
    { name: 'a.test.ts', reason: 'no such module' },
    { name: 'finds', reason: 'Error: none' },
  ];
  expect(vitestCounts(report)).toEqual({ passed: 1, failed: 2, skipped, failures });
});
