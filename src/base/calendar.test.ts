import { expect, it, test } from 'vitest';

import { dayByKey, dayOf, startOfMonth, startOfYear, weeksOf } from './calendar';
import { formatDay, parseTime } from './time';

const day = (text: string) => parseTime(text)!;

it('a month has the weeks from Monday on, and no days of other months', () => {
  const shown = weeksOf(day('2024-09-01')).map((week) =>
    week.map((each) => (each === null ? '' : formatDay(each).slice(-2))),
  );
  expect(shown).toHaveLength(6);
  expect(shown[0]).toEqual(['', '', '', '', '', '', '01']);
  expect(shown.at(-1)).toEqual(['30', '', '', '', '', '', '']);
  expect(weeksOf(day('2021-02-01'))).toHaveLength(4);
  expect(weeksOf(day('1969-12-01'))[0]!.findIndex((each) => each !== null)).toBe(0);
});

test.each([
  ['ArrowLeft', '2024-02-28'],
  ['ArrowRight', '2024-03-01'],
  ['ArrowUp', '2024-02-22'],
  ['ArrowDown', '2024-03-07'],
  ['Home', '2024-02-26'],
  ['End', '2024-03-03'],
  ['PageUp', '2024-01-29'],
  ['PageDown', '2024-03-29'],
])('%s moves from 29 February to %s', (key, expected) => {
  expect(formatDay(dayByKey(day('2024-02-29'), key))).toBe(expected);
});

it('a time is on its day, and a day in its month and year', () => {
  expect(dayOf(day('1969-12-31 23:59'))).toBe(day('1969-12-31'));
  expect(startOfMonth(day('2024-02-29'))).toBe(day('2024-02-01'));
  expect(startOfYear(day('2024-02-29'))).toBe(day('2024-01-01'));
});
