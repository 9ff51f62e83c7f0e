import { expect, it } from 'vitest';

import { texts } from '../../base/texts';
import { HOUR, MINUTE, SECOND } from '../../base/time';
import { intervalEnds } from './interval';

it.each([
  [-HOUR, -HOUR, '1 h, from 60 pairs'],
  [58n * MINUTE, HOUR, '58 min to 1 h, from 60 pairs'],
  [-HOUR, -58n * MINUTE, '58 min to 1 h, from 60 pairs'],
  [-2n * SECOND, 3n * SECOND, '−2 s to +3 s, from 60 pairs'],
  [0n, 3n * SECOND, '0 s to 3 s, from 60 pairs'],
])('says how a clock differs between %d and %d', (least, most, expected) =>
  expect(texts.links.interval(intervalEnds(least, most), 60)).toBe(expected),
);
