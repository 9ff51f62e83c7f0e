// Charts of the screen and of exported notebooks (`indexer/src/notebook/ticks.rs`) label the same values and times.
import { expect, it } from 'vitest';

import cases from '../../../fixtures/axis-ticks.json';
import { asTime } from '../../base/time';
import { timeTicks } from './timescale';
import { valueScale } from './valuescale';

/** So many pixels have room for one step of a value axis. */
const STEP_PX = 44;

it.each(cases.values)(
  'labels values up to $greatest like the notebook',
  ({ greatest, steps, ticks }) => {
    expect(valueScale([greatest], 'linear', steps * STEP_PX, 'plain', false).ticks).toEqual(ticks);
  },
);

it.each(cases.times)(
  'labels times from $from to $to like the notebook',
  ({ from, to, most, ticks }) => {
    const range = { from: asTime(BigInt(from)), to: asTime(BigInt(to)) };
    expect(timeTicks(range, most).map(({ time }) => String(time))).toEqual(ticks);
  },
);
