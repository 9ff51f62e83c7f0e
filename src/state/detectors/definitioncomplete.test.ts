import { expect, it, test } from 'vitest';

import type { KnownField } from '../../ipc/generated';
import { completeDefinition } from './definitioncomplete';

const FIELDS: readonly KnownField[] = [
  { name: 'host', kinds: ['text'], ecs: null, present: 3 },
  { name: 'took', kinds: ['int'], ecs: null, present: 9 },
];

/** The completion at `^`, and what it replaces. */
function at(marked: string) {
  const position = marked.indexOf('^');
  const text = marked.replace('^', '');
  const found = completeDefinition(text, position, FIELDS);
  return found === null ? null : { ...found, written: text.slice(found.from, position) };
}

const HEAD = '[[detector]]\nname = "a"\n';

test.each([
  ['a key of the detector', `${HEAD}que^`, 'que', ['query']],
  ['a condition', `${HEAD}thr^`, 'thr', ['threshold']],
  ['a severity', `${HEAD}severity = "hi^"`, 'hi', ['high']],
  ['a severity without quotes', `${HEAD}severity = ^`, '', undefined],
  ['a field of by', `${HEAD}by = ["host", "to^"]`, 'to', ['took']],
  ['a key of a table on one line', `${HEAD}threshold = { above = 5, ev^ }`, 'ev', ['every']],
  [
    'a key after a text with a comma',
    `${HEAD}anomaly = { measure = "p95(a,b)", dir^`,
    'dir',
    ['direction'],
  ],
  ['a value of a table on one line', `${HEAD}anomaly = { direction = "u^" }`, 'u', ['up']],
  ['a measure', `${HEAD}threshold = { measure = "p95^" }`, 'p95', ['p95(took)']],
  ['a key of a table of its own', `${HEAD}[detector.absence]\nlo^`, 'lo', ['longer']],
  ['a value of a table of its own', `${HEAD}[detector.anomaly]\nseason = "w^"`, 'w', ['week']],
  ['a head', `${HEAD}[detector.ab^`, 'detector.ab', ['detector.absence']],
])('completes %s', (_, text, written, options) => {
  const found = at(text);
  expect(found?.written).toBe(written);
  if (options !== undefined) expect(found?.options).toEqual(options);
});

it('offers no key twice, and quotes a value that has no quotes', () => {
  const keys = at(`${HEAD}query = "x"\n^\nby = ["host"]\n`)?.options;
  expect(keys).not.toContain('query');
  expect(keys).not.toContain('by');
  expect(keys).toContain('title');
  expect(at(`${HEAD}threshold = { above = 5, ^ }`)?.options).not.toContain('above');
  expect(at(`${HEAD}severity = ^`)?.options).toContain('"high"');
  expect(at(`${HEAD}by = ^`)?.options).toEqual(['["host"]', '["took"]']);
});

test.each([
  ['a comment', `${HEAD}# que^`],
  ['a number', `${HEAD}threshold = { above = ^ }`],
  ['an unknown key', `${HEAD}colour = "r^"`],
  ['what follows a table', `${HEAD}threshold = { above = 5 } ^`],
])('completes nothing in %s', (_, text) => expect(at(text)).toBeNull());

it('completes nothing in a long text', () =>
  expect(at(`${HEAD}query = "${'x'.repeat(100_000)}^"`)).toBeNull());
