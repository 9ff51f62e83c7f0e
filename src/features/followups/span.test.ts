import { expect, it } from 'vitest';

import type { Trail } from '../../ipc/generated';
import { inOrder } from './span';

const trail = (sourceName: string, first: string | null) => ({ sourceName, first }) as Trail;

it('orders sources by when the value was first seen, those without a time last', () => {
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
