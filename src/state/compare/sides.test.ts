import { expect, it } from 'vitest';

import { asTime, DAY, parseTime, type TimeRange } from '../../base/time';
import type { Difference } from '../../ipc/generated';
import {
  ALL,
  both,
  cellOfSides,
  curveCells,
  jsonOfSides,
  sidesAgainst,
  sidesAtMarker,
  sidesOfClause,
  sidesOfJson,
  viewOfSide,
  viewsOfSides,
  type TakenFrom,
} from './sides';

const at = (text: string) => parseTime(text)!;
const range = (from: string, to: string): TimeRange => ({ from: at(from), to: at(to) });
const day = range('2026-03-01', '2026-03-02');
const hour = range('2026-03-01T14:00', '2026-03-01T15:00');
const from = (part: Partial<TakenFrom> = {}): TakenFrom => ({
  query: 'level=error',
  range: hour,
  whole: day,
  ...part,
});

it('takes both sides from the selected range', () => {
  const ranges = (against: Parameters<typeof sidesAgainst>[0]) => {
    const sides = sidesAgainst(against, from());
    expect(sides?.b).toEqual({ ...ALL, query: 'level=error', range: hour });
    return sides?.a;
  };
  expect(ranges('rest')).toEqual({ ...ALL, query: 'level=error', range: hour, isOutside: true });
  expect(ranges('before')?.range).toEqual(range('2026-03-01T13:00', '2026-03-01T14:00'));
  expect(ranges('day')?.range?.from).toBe(hour.from - DAY);
  expect(ranges('others')).toMatchObject({ query: 'NOT (level=error)', range: hour });
  const halves = sidesAgainst('halves', from({ range: null }));
  expect(halves?.a.range?.to).toBe(at('2026-03-01T12:00'));
  expect(halves?.b.range).toEqual(range('2026-03-01T12:00', '2026-03-02'));
});

it('compares the events of a clause with all others of the filter', () => {
  const { a, b } = sidesOfClause('status=502', 'a OR b', hour);
  expect([a.query, b.query]).toEqual(['(a OR b) NOT (status=502)', '(a OR b) status=502']);
  expect([a.range, b.range]).toEqual([hour, hour]);
  expect(sidesOfClause('x', '', null).a).toEqual({ ...ALL, query: 'NOT (x)' });
});

it('takes whole seconds of a long time', () => {
  const whole = { from: asTime(day.from + 5n), to: asTime(day.to - 5n) };
  const halves = sidesAgainst('halves', from({ range: null, whole }));
  expect([halves?.a.range, halves?.b.range]).toEqual([
    range('2026-03-01', '2026-03-01T12:00'),
    range('2026-03-01T12:00', '2026-03-02'),
  ]);
  const short = { from: asTime(5n), to: asTime(15n) };
  const parts = sidesAgainst('halves', from({ range: null, whole: short }));
  expect(parts?.b.range).toEqual({ from: 10n, to: 15n });
});

it('has no sides where there is nothing to take them from', () => {
  expect(sidesAgainst('rest', from({ range: null }))).toBeNull();
  expect(sidesAgainst('others', from({ query: ' ' }))).toBeNull();
  const moment = { from: asTime(0n), to: asTime(1n) };
  expect(sidesAgainst('halves', from({ range: null, whole: moment }))).toBeNull();
  expect(sidesAtMarker(day.from, from())).toBeNull();
});

it('compares with the time before a marker', () => {
  const ranges = (marker: string, selected: TimeRange | null) => {
    const sides = sidesAtMarker(at(marker), from({ range: selected }));
    return [sides?.a.range, sides?.b.range];
  };
  // A marker within the selected range cuts it in two.
  expect(ranges('2026-03-01T14:30', hour)).toEqual([
    range('2026-03-01T14:00', '2026-03-01T14:30'),
    range('2026-03-01T14:30', '2026-03-01T15:00'),
  ]);
  expect(ranges('2026-03-01T12:00', hour)).toEqual([range('2026-03-01', '2026-03-01T12:00'), hour]);
  expect(ranges('2026-03-01T12:00', null)).toEqual([
    range('2026-03-01', '2026-03-01T12:00'),
    range('2026-03-01T12:00', '2026-03-02'),
  ]);
});

const place = { casePath: '/c', zone: null };

it('asks for all times but a range with a filter', () => {
  expect(viewOfSide(ALL, place)).toEqual({ case: '/c', query: '', from: null, to: null });
  const inside = { ...ALL, query: 'a OR b', range: hour };
  expect(viewOfSide(inside, place)).toMatchObject({
    query: 'a OR b',
    from: '1772373600000000000',
    to: '1772377200000000000',
  });
  expect(viewOfSide({ ...inside, isOutside: true }, place)).toEqual({
    case: '/c',
    query: '(a OR b) NOT (time>=2026-03-01T14:00:00Z time<2026-03-01T15:00:00Z)',
    from: null,
    to: null,
  });
  expect(both('', 'b=2')).toBe('b=2');
});

it('reads typed times in the zone of the screen', () => {
  const inNewYork = { casePath: '/c', zone: 'America/New_York' };
  const typed = { ...ALL, query: 'time>=09:05', range: hour };
  const { a, b } = viewsOfSides({ a: typed, b: ALL }, inNewYork);
  expect([a.zone, b.zone]).toEqual(['America/New_York', undefined]);
});

it('is restored from the view as it was', () => {
  const nanoseconds = { from: asTime(1_772_373_900_123_456_789n), to: hour.to };
  const sides = {
    a: { ...ALL, query: 'x="1"' },
    b: { ...ALL, range: nanoseconds, isOutside: true, elsewhere: 'remote:prod' },
  };
  expect(sidesOfJson(JSON.parse(JSON.stringify(jsonOfSides(sides))) as never)).toEqual(sides);
  expect(sidesOfJson(null)).toBeNull();
  expect(sidesOfJson({ a: { query: 'x' } })).toBeNull();
  const side = { query: '', from: 'never', to: 3, outside: true };
  expect(sidesOfJson({ a: side, b: side })).toEqual({ a: ALL, b: ALL });
});

it('is a cell of the notebook with both sides as filters', () => {
  const cell = cellOfSides(
    { a: { ...ALL, query: 'v=1', range: hour, isOutside: true }, b: ALL },
    { title: 'One', rows: 9, zone: null },
  );
  const [fence, query, end] = cell.split('\n');
  expect([fence, end]).toEqual(['```query rows=9 title=One', '```']);
  expect(query).toMatch(
    /^\* \| compare with \(v=1 NOT \(time>=2026-03-01T14:00:00Z time<2026-03-01T15:00:00Z\)\) limit=9 \| keep change, what/,
  );
});

it('draws numbers that moved in cells of their own', () => {
  const number = (field: string, region: string | null): Difference =>
    ({
      subject: {
        kind: 'number',
        field,
        group:
          region === null
            ? null
            : {
                kind: 'value',
                field: 'region',
                value: { kind: 'text', text: region, number: null },
              },
      },
    }) as Difference;
  const sides = { a: { ...ALL, query: 'v=1' }, b: ALL };
  const cells = curveCells(
    sides,
    [number('took', 'eu "1"'), number('odd name', null)],
    'Europe/Berlin',
  );
  expect(cells.split('\n').filter((line) => !line.startsWith('```') && line !== '')).toEqual([
    '* region="eu \\"1\\"" | quantiles took with (v=1 region="eu \\"1\\"")',
    '* | quantiles "odd name" with (v=1)',
  ]);
  expect(cells).toContain('```chart zone=Europe/Berlin title="took region=eu 1"');
  expect(
    curveCells(
      sides,
      Array.from({ length: 9 }, () => number('took', null)),
      null,
    ).match(/chart/g),
  ).toHaveLength(3);
});
