import { describe, expect, it } from 'vitest';

import type { EventDetail } from '../../ipc/generated';
import { sentValue, wholeValue } from './sentvalue';
import { actionsOf, filterOf } from './valueactions';

const detail = (value: string) =>
  ({ fields: [{ name: 'body', value, kind: 'text', ecs: null }] }) as unknown as EventDetail;

describe('a value that came with a row', () => {
  it('is whole if it is shorter than the engine cuts, or longer', () => {
    for (const value of ['ok', 'x'.repeat(996), 'x'.repeat(1_001), 'ä'.repeat(498)]) {
      expect(sentValue('body', value)).toEqual({ field: 'body', value });
    }
    expect(sentValue('body', null)).toEqual({ field: 'body', value: null });
  });

  it('may be a beginning at the length of the cut', () => {
    for (const value of ['x'.repeat(1_000), 'x'.repeat(997), 'ä'.repeat(500)]) {
      expect(sentValue('body', value).isBeginning).toBe(true);
    }
  });

  it('is a beginning above a cause', () => {
    const seen = sentValue('body', 'a\nb\n…\nCaused by: c');
    expect(seen).toEqual({ field: 'body', value: 'a\nb', isBeginning: true });
  });
});

it('filters for events whose value begins so, because no value equals a beginning', () => {
  const seen = sentValue('body', `${'x'.repeat(990)}.(/?a=b`.padEnd(1_000, 'y'));
  const only = `body:/^${'x'.repeat(990)}\\.\\(\\/\\?a=byyy/`;
  expect(filterOf(seen)).toBe(only);
  expect(filterOf(seen, true)).toBe(`NOT ${only}`);
  expect(actionsOf(seen)).toEqual(['only', 'without', 'copy', 'column', 'chart', 'compare']);
});

it('is the whole value once the event is known', () => {
  const beginning = sentValue('body', 'x'.repeat(1_000));
  const whole = 'x'.repeat(2_000);
  expect(wholeValue(beginning, detail(whole))).toEqual({ field: 'body', value: whole });
  expect(wholeValue(beginning, null)).toBe(beginning);
});
