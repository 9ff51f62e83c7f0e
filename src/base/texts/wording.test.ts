/** Texts that are made of numbers. */
import { expect, it } from 'vitest';

import { texts } from '../texts';

it.each([
  [188.4, '188 per day'],
  [3.1, '3.1 per day'],
  [0.4, 'once in 2.5 days'],
  [0.02, 'once in 50 days'],
  [0.01, 'once in 3.3 months'],
  [1 / (16 * 365), 'once in 16 years'],
])('says how often a detector with %d alerts a day fires', (perDay, expected) =>
  expect(texts.detectors.sentence(1, 60, perDay, 2 * 86_400)).toBe(
    `Would have fired 1 time, 60 s in total, ${expected}`,
  ),
);

it('gives no rate per day for less than a day', () =>
  expect(texts.detectors.sentence(188, 600, null, 7_194)).toBe(
    'Would have fired 188 times, 10 min in total, in 2 h of data',
  ));

it('says what a detector is worth by time and by events', () => {
  expect(texts.detectors.precision(0.25, 1, 2)).toBe('Precision: 25% of the time, 1 of 2 alerts');
  expect(texts.detectors.recall(1, 3, 3)).toBe('Recall: 100% of the time, 3 of 3 incidents');
  expect(texts.detectors.recall(null, 0, 1)).toBe('Recall: 0 of 1 incident');
  expect(texts.detectors.delay(90, 300)).toBe('Delay: 90 s (median), 5 min (worst)');
});

it('says how many events have a value, and over which time', () => {
  expect(texts.inspect.found(1, 1, '')).toBe('1 event in 1 source');
  expect(texts.inspect.found(1200, 2, '3 min')).toBe('1,200 events in 2 sources over 3 min');
});
