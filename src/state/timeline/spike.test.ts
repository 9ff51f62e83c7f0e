import { expect, it } from 'vitest';

import type { Nanos } from '../../ipc/generated';
import { spikeOf } from './spike';
import { timelineData } from './timelinedata';

function data(info: number[], error: number[] = []) {
  return timelineData('k', null, {
    revision: 1,
    start: '1000' as Nanos,
    bucketNs: '10' as Nanos,
    series: [
      { level: 'info', counts: info },
      { level: 'error', counts: error.length > 0 ? error : info.map(() => 0) },
    ],
    total: 0,
    untimed: 0,
    fraction: 1,
    elapsedMs: 0,
  });
}

const quiet = [20, 22, 19, 21, 20, 18, 23, 20, 21, 20];

it('finds the run of buckets that is conspicuous', () => {
  const spike = spikeOf(data(quiet.with(5, 200).with(6, 150).with(7, 60)))!;
  expect(spike).toEqual({ range: { from: 1050n, to: 1070n }, events: 350, errors: 0 });
});

it('weighs errors, which a busy log would hide', () => {
  const spike = spikeOf(data(quiet, [0, 0, 0, 0, 40, 0, 0, 0, 0, 1]))!;
  expect(spike).toEqual({ range: { from: 1040n, to: 1050n }, events: 60, errors: 40 });
});

it('says nothing of an even log, of a rare event, or of hardly any data', () => {
  expect(spikeOf(data(quiet))).toBeNull();
  expect(spikeOf(data([1, 0, 1, 1, 0, 4, 1, 1, 1, 1, 0, 1]))).toBeNull();
  expect(spikeOf(data([1, 900, 1]))).toBeNull();
  const years = Array.from<unknown, number>({ length: 60 }, (_, at) => (at % 6 === 0 ? 20 : 0));
  expect(spikeOf(data(years.with(12, 900)))).toBeNull();
});
