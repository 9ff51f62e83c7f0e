import { expect, it } from 'vitest';

import { part } from './parts.mjs';

const of = (argument) => part(argument, (path) => /\.\w+$/.test(path));

it('knows a part by its name', () => {
  expect(of('window')).toEqual({ hosts: ['window'] });
  expect(of('rust')).toEqual({ rust: {} });
});

it('finds the tests of a Rust file by its module', () => {
  const store = (...filters) => ({
    crate: 'indexer/store',
    kind: 'unit',
    library: [
      ...['-p', 'timberline-store', '-p', 'timberline-cli', '-p', 'timberline-desktop'],
      '--lib',
    ],
    filters,
  });
  expect(of('indexer/store/src/text/fuzzy.rs').rust).toEqual(store('text::fuzzy::'));
  expect(of('indexer/store/src/text/mod.rs').rust).toEqual(store('text::'));
  expect(of('indexer/store/src/lib.rs').rust).toEqual(store());
  expect(of('cli/src/push.rs').rust).toEqual({ crate: 'cli', kind: 'unit', filters: ['push::'] });
  expect(of('tests/tests/compare.rs').rust).toEqual({
    crate: 'tests',
    kind: 'all',
    filters: ['compare::'],
  });
});

it('runs the tests that a file of the screen concerns, and a test in the browser by itself', () => {
  expect(of('src/base/time.ts')).toEqual({ unit: ['related', '--run', 'src/base/time.ts'] });
  expect(of('tests/e2e/notes.browser.ts')).toEqual({
    hosts: ['browser'],
    files: ['tests/e2e/notes.browser.ts'],
  });
  expect(of('tests/e2e/desktop.test.ts').hosts).toEqual(['window']);
});

it('looks for the name of a test on both sides', () => {
  expect(of('kills')).toEqual({ rust: { filters: ['kills'] }, unit: ['run', '-t', 'kills'] });
});
