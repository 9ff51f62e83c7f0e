import { expect, it } from 'vitest';

import type { Trail } from '../../ipc/generated';
import { inOrder } from './span';

const trail = (sourceName: string, first: string | null) => ({ sourceName, first }) as Trail;

it('tells where a value was seen in the order it went, and last where no time is known', () => {
  const trails = [
    trail('app', '1000000000000000920'),
    trail('notes', null),
    trail('gateway', '999999999999999999'),
    trail('payment', '1000000000000000919'),
  ];
  expect(inOrder(trails).map(({ sourceName }) => sourceName)).toEqual([
    'gateway',
    'payment',
    'app',
    'notes',
  ]);
});
