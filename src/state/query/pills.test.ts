import { expect, it } from 'vitest';

import { isInZone, isOutsideText, pillsOf } from './pills';

const clause = (text: string, isNegated = false) => ({ text, isNegated });

it('makes a pill of each clause, and of those that are switched off', () => {
  const view = { off: ['b'], pinned: ['b', 'NOT c'] };
  expect(pillsOf([clause('a'), clause('NOT c', true)], view)).toMatchObject([
    { text: 'a', at: 0, isNegated: false, isPinned: false },
    { text: 'NOT c', at: 1, isNegated: true, isPinned: true },
    { text: 'b', at: null, isPinned: true },
  ]);
});

it('repeats no clause that the text in the bar has', () => {
  const view = { off: ['gone'], pinned: ['b:2', 'c:3'] };
  const pills = pillsOf(
    ['a:1', 'b:2', 'c:3'].map((text) => clause(text)),
    view,
  );
  const outside = pills.filter((pill) => isOutsideText(pill, 'a:1 c:3'));
  expect(outside.map(({ text }) => text)).toEqual(['b:2', 'gone']);
});

it('makes no pill without a text of `SELEC * from`', () => {
  const clauses = ['SELEC', '', 'from'].map((text) => clause(text));
  const pills = pillsOf(clauses, { off: [], pinned: [] });
  expect(pills.map(({ text, at }) => [text, at])).toEqual([
    ['SELEC', 0],
    ['from', 2],
  ]);
});

it('knows the clauses whose times depend on the zone of the screen', () => {
  const typed = ['time>=2026-03-03T09:05', 'NOT @timestamp:today', '(time<"14:05")', 'time=09:05'];
  expect(typed.map(isInZone)).toEqual([true, true, true, true]);
  const others = [
    'time>=2026-03-03T09:05Z',
    'time<"14:05+02:00"',
    'timeout:5',
    'time:*',
    'a time>1',
  ];
  expect(others.map(isInZone)).toEqual([false, false, false, false, false]);
});
