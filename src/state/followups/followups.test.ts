import { expect, it } from 'vitest';

import { Clock } from '../../base/zone';
import type { Row } from '../../ipc/generated';
import { contextOf, followOf, titleOf } from './followups';

it('shows the time in the title of a tab in the zone of the view', () => {
  let zone = 'UTC';
  const clock = new Clock(() => zone);
  const row = { id: { source: 1, offset: 5 }, time: '1772546700000000000' } as unknown as Row;
  const tab = contextOf(row, '14:05:00');
  expect(titleOf(tab, clock)).toContain('14:05:00');
  zone = 'Asia/Tokyo';
  expect(titleOf(tab, clock)).toContain('23:05:00');
  expect(titleOf(followOf('abc'), clock)).toBe(followOf('abc').title);
});
