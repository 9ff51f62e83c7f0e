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
} from './inboxview';

const key = (text: string) => text as AlertKey;

it('turns states on and off, and shows all rather than none', () => {
  expect(toggled(OPEN.statuses, 'closed', STATUSES)).toEqual(['new', 'acknowledged', 'closed']);
  expect(toggled(['new', 'acknowledged', 'muted'], 'closed', STATUSES)).toEqual([]);
  expect(toggled([], 'closed', STATUSES)).toEqual(['new', 'acknowledged', 'muted']);
  expect(toggled(['new'], 'new', STATUSES)).toEqual([]);
});

it('decides about the picked alerts, else about the selected one', () => {
  const two = pickToggled(NONE, [key('a'), key('b')]);
  expect(choiceOf(two, key('c'), OPEN, 9)).toEqual({ keys: ['a', 'b'] });
  expect(choiceOf(pickToggled(two, [key('a'), key('b')]), key('c'), OPEN, 9)).toEqual({
    keys: ['c'],
  });
  expect([...pickToggled(two, [key('b'), key('c')]).keys]).toEqual(['a', 'b', 'c']);
  expect(choiceOf({ keys: new Set(), all: true }, null, OPEN, 9)).toEqual({
    matching: { filter: OPEN, expected: 9 },
  });
  expect(isPicked({ keys: new Set(), all: true }, key('z'))).toBe(true);
  expect(choiceOf(NONE, null, OPEN, 9)).toBeNull();
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
