import { expect, it } from 'vitest';

import { part } from './parts.mjs';

const of = (argument) => part(argument, (path) => /\.\w+$/.test(path));

it('knows a part by its name', () => {
  expect(of('window')).toEqual({ hosts: ['window'] });
  expect(of('rust')).toEqual({ rust: {} });
});

it('finds the tests of a Rust file by its module', () => {
  const rust = (crate, kind, ...filters) => ({ rust: { crate, kind, filters } });
  expect(of('indexer/store/src/text/fuzzy.rs')).toEqual(
    rust('indexer/store', 'unit', 'text::fuzzy::'),
  );
  expect(of('indexer/store/src/text/mod.rs')).toEqual(rust('indexer/store', 'unit', 'text::'));
  expect(of('ingest/src/lib.rs')).toEqual(rust('ingest', 'unit'));
  expect(of('tests/tests/compare.rs')).toEqual(rust('tests', 'all', 'compare::'));
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
