import { expect, it } from 'vitest';

import type { AlertKey } from '../../ipc/generated';
import {
  choiceOf,
  filterOfGroup,
  isPicked,
  moved,
  NONE,
  OPEN,
  pickToggled,
  STATUSES,
  toggled,
  type ShownPage,
} from './inboxview';

const seen = (key: string, events = 3) => ({ key: key as AlertKey, events });

it('turns states on and off, and shows all rather than none', () => {
  expect(toggled(OPEN.statuses, 'closed', STATUSES)).toEqual(['new', 'acknowledged', 'closed']);
  expect(toggled(['new', 'acknowledged', 'muted'], 'closed', STATUSES)).toEqual([]);
  expect(toggled([], 'closed', STATUSES)).toEqual(['new', 'acknowledged', 'muted']);
  expect(toggled(['new'], 'new', STATUSES)).toEqual([]);
});

it('decides about the picked alerts, else about the selected one', () => {
  const shown = { matching: 9, digest: 'd', asked: { filter: OPEN } } as ShownPage;
  const two = pickToggled(NONE, [seen('a'), seen('b', 7)]);
  expect(choiceOf(two, seen('c'), shown)).toEqual({ keys: [seen('a'), seen('b', 7)] });
  expect(choiceOf(pickToggled(two, [seen('a'), seen('b')]), seen('c'), shown)).toEqual({
    keys: [seen('c')],
  });
  expect([...pickToggled(two, [seen('b'), seen('c')]).keys.keys()]).toEqual(['a', 'b', 'c']);
  expect(choiceOf({ keys: new Map(), all: true }, null, shown)).toEqual({
    matching: { filter: OPEN, expected: 9, digest: 'd' },
  });
  expect(choiceOf({ keys: new Map(), all: true }, null, null)).toBeNull();
  expect(isPicked({ keys: new Map(), all: true }, seen('z').key)).toBe(true);
  expect(choiceOf(NONE, null, shown)).toBeNull();
});

it('finds the alerts of a group by its detector, entity or time', () => {
  const group = { key: 'k', from: '1' as never, to: '2' as never };
  expect(filterOfGroup(OPEN, 'detector', group)).toEqual({ ...OPEN, detector: 'k' });
  expect(filterOfGroup(OPEN, 'entity', group)).toEqual({ ...OPEN, entity: 'k' });
  expect(filterOfGroup(OPEN, 'time', group)).toEqual({ ...OPEN, from: '1', to: '2' });
});

it('moves within the list', () => {
  expect([moved(-1, 1, 5), moved(-1, -1, 5), moved(4, 1, 5), moved(2, -Infinity, 5)]).toEqual([
    0, 4, 4, 0,
  ]);
  expect(moved(-1, 1, 0)).toBe(-1);
});
