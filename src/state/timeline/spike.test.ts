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

it('suggests a spike from where it leaves the usual band to where it returns', () => {
  const outage = [...quiet, 200, 90, 60, 80, 58, 45, ...quiet];
  const spike = spikeOf(data(outage))!;
  expect(spike).toEqual({ range: { from: 1100n, to: 1160n }, events: 533, errors: 0 });
  const slow = [...quiet, 40, 70, 300, ...quiet];
  expect(spikeOf(data(slow))!.range).toEqual({ from: 1100n, to: 1130n });
});

it('goes on over one quiet bucket, and ends at two', () => {
  const lull = [...quiet, 200, 21, 90, 20, 22, 95, ...quiet];
  expect(spikeOf(data(lull))!.range).toEqual({ from: 1100n, to: 1130n });
});

it('selects a spike at the edge of the data', () => {
  expect(spikeOf(data([300, 150, ...quiet]))!.range).toEqual({ from: 1000n, to: 1020n });
  expect(spikeOf(data([...quiet, 150, 300]))!.range).toEqual({ from: 1100n, to: 1120n });
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
