import { expect, it, test } from 'vitest';

import type { KeyValue } from '../../ipc/generated';
import {
  COMMON_FIELDS,
  DETECTOR_KINDS,
  fieldChange,
  fieldProblem,
  keyChanges,
  KIND_FIELDS,
  kindChanges,
  kindOf,
  shownKey,
  textOf,
  type FormKeys,
} from './detectorform';

const written = (keys: Record<string, KeyValue>): FormKeys =>
  Object.entries(keys).map(([key, value], at) => ({ key, value, line: at + 2 }));

const THRESHOLD = written({
  name: 'a',
  threshold: true,
  'threshold.above': 5,
  'threshold.every': '5m',
  'threshold.odd': 1,
});

const set = (key: string, value: KeyValue) => ({ key, value, renamed: null });
const gone = (key: string) => ({ key, value: null, renamed: null });

test.each([
  [{ threshold: true }, 'threshold'],
  [{ anomaly: true }, 'anomaly'],
  [{ pattern: true, 'pattern.new': true }, 'newPattern'],
  [{ pattern: true, 'pattern.surge': 10 }, 'surge'],
  [{ sequence: true }, 'sequence'],
  [{}, null],
  [{ threshold: true, absence: true }, null],
])('the kind of %j is %s', (keys, kind) => {
  expect(kindOf(written(keys as unknown as Record<string, KeyValue>))).toBe(kind);
});

it('makes a threshold an anomaly and keeps the keys of both, and those that it does not know', () => {
  expect(kindChanges(THRESHOLD, 'anomaly')).toEqual([
    { key: 'threshold', value: null, renamed: 'anomaly' },
    gone('anomaly.above'),
  ]);
});

it('gives another kind what it needs', () => {
  expect(kindChanges(THRESHOLD, 'sequence')).toEqual([
    { key: 'threshold', value: null, renamed: 'sequence' },
    set('sequence.then', 'level:error'),
    set('sequence.within', '5m'),
    gone('sequence.above'),
    gone('sequence.every'),
  ]);
  const surge = written({ pattern: true, 'pattern.surge': 10, 'pattern.least': 3 });
  expect(kindChanges(surge, 'newPattern')).toEqual([
    set('pattern.new', true),
    gone('pattern.surge'),
  ]);
  const fresh = written({ pattern: true, 'pattern.new': true, 'pattern.learn': '1d' });
  expect(kindChanges(fresh, 'surge')).toEqual([
    set('pattern.surge', 10),
    gone('pattern.new'),
    gone('pattern.learn'),
  ]);
});

it('gives a detector without a condition one, and one with several only one', () => {
  expect(kindChanges(written({ name: 'a' }), 'anomaly')).toEqual([set('anomaly.measure', 'count')]);
  expect(kindChanges(written({ name: 'a' }), 'threshold')).toEqual([set('threshold.above', 10)]);
  const both = written({ anomaly: true, threshold: true, 'threshold.below': 1 });
  expect(kindChanges(both, 'threshold')).toEqual([gone('anomaly')]);
});

it('every kind of its own changes nothing once it has what it needs', () => {
  for (const kind of DETECTOR_KINDS) {
    const made = new Map<string, KeyValue>();
    for (const { key, value } of kindChanges([], kind)) {
      if (value === null) continue;
      made.set(key.slice(0, key.indexOf('.')), true);
      made.set(key, value);
    }
    const keys = written(Object.fromEntries(made));
    expect([kind, kindOf(keys)]).toEqual([kind, kind]);
    const again = kindChanges(keys, kind).filter(({ key, value }) => made.get(key) !== value);
    expect([kind, again]).toEqual([kind, []]);
  }
});

it('writes numbers, lists and texts, and takes an emptied key away', () => {
  const [by] = COMMON_FIELDS[3]!.keys;
  expect(fieldChange(by, ' host,app , ')).toEqual(set('by', ['host', 'app']));
  const [, , level] = KIND_FIELDS.threshold;
  expect(fieldChange(level!.keys[0], '7.5')).toEqual(set('threshold.above', 7.5));
  expect(fieldChange(level!.keys[0], 'many')).toEqual(set('threshold.above', 'many'));
  expect(fieldChange(level!.keys[0], ' ')).toEqual(gone('threshold.above'));
  expect([textOf(['a', 'b']), textOf(5), textOf(undefined)]).toEqual(['a, b', '5', '']);
});

it('chooses one of two keys, and keeps a value of the same type', () => {
  const [, , level] = KIND_FIELDS.threshold;
  const [above, below] = level!.keys;
  expect(shownKey(THRESHOLD, level!)).toBe(above);
  expect(shownKey(written({ 'threshold.below': 1 }), level!)).toBe(below);
  expect(keyChanges(THRESHOLD, above, below!)).toEqual([
    { key: 'threshold.above', value: null, renamed: 'below' },
  ]);
  const [longer, times] = KIND_FIELDS.absence[0]!.keys;
  const silent = written({ absence: true, 'absence.longer': '10m' });
  expect(keyChanges(silent, longer, times!)).toEqual([
    set('absence.times', 5),
    gone('absence.longer'),
  ]);
  expect(keyChanges(silent, longer, longer)).toEqual([]);
});

it('shows a problem at the field that it names', () => {
  const keys = written({ query: 'a', threshold: true }).concat([
    { key: 'threshold.above', value: 5, line: 9 },
    { key: 'threshold.every', value: '5x', line: 9 },
  ]);
  const problem = (line: number, message: string) => ({ file: '', line, message, hint: null });
  const wrong = problem(9, '`5x` is not a duration');
  expect(fieldProblem(keys, 'threshold.every', [wrong])).toBe(wrong);
  expect(fieldProblem(keys, 'threshold.above', [wrong])).toBeUndefined();
  const query = problem(2, 'the query is wrong');
  expect(fieldProblem(keys, 'query', [wrong, query])).toBe(query);
  expect(fieldProblem(keys, 'by', [problem(1, 'x')])).toBeUndefined();
});
