import { expect, it } from 'vitest';

import { countsLine, firstError, slowest, vitestCounts } from './steps.mjs';

it('names the tests that vitest skipped, those that failed, and those that passed the second time', () => {
  const report = {
    numPassedTests: 2,
    numFailedTests: 1,
    testResults: [
      {
        status: 'passed',
        assertionResults: [
          { fullName: 'opens', status: 'passed', duration: 1500, failureMessages: [] },
          {
            fullName: 'waits',
            status: 'passed',
            failureMessages: ['Error: too slow\n    at waits'],
          },
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
  const unsteady = [{ name: 'waits', reason: 'Error: too slow' }];
  const times = [
    { name: 'opens', seconds: 1.5 },
    { name: 'waits', seconds: 0 },
    { name: 'closes', seconds: 0 },
    { name: 'finds', seconds: 0 },
  ];
  const counts = vitestCounts(report);
  expect(counts).toEqual({ passed: 2, failed: 2, skipped, failures, unsteady, times });
  expect(countsLine({ ...counts, skipped: counts.skipped.length })).toBe(
    '2 passed, 1 skipped, 2 failed',
  );
});

it('names the slowest tests of a step, and none that nobody waits for', () => {
  const times = Array.from({ length: 12 }, (_, seconds) => ({ name: `${seconds}`, seconds }));
  expect(slowest(times).map(({ name }) => name)).toEqual([...'11 10 9 8 7 6 5 4 3 2'.split(' ')]);
  expect(slowest(times.slice(0, 3))).toEqual([{ name: '2', seconds: 2 }]);
});

it('names the first error of a compiler or linter and where it is', () => {
  const compiler = 'warning: unused\n\nerror: unresolved link to `Gone`\n  --> a.rs:3:9\n   |\n';
  expect(firstError(compiler)).toBe('error: unresolved link to `Gone` --> a.rs:3:9');
  const linter = '/src/a.ts\n  3:1  error  no-unused-vars\n\n1 problem';
  expect(firstError(linter)).toBe('3:1  error  no-unused-vars');
  expect(firstError('running 0 tests\nended after 40 minutes')).toBe('');
});
