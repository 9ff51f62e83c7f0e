import { expect, it } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import { formatDay, parseTime, type Time } from '../../base/time';
import type { Aggregate, Nanos } from '../../ipc/generated';
import { FakeClient } from '../fakeclient';
import { EventDays } from './eventdays.svelte';

const start = parseTime('2024-01-01')!;

/** An answer with counts of days that begin at these times. */
function answer(edges: readonly Time[], counts: number[]): Aggregate {
  return {
    axes: [{ kind: 'time', edges: edges.map((edge) => edge.toString() as Nanos) }],
    counts,
  } as Aggregate;
}

it('counts the events of each day of a year in the zone, once the calendar is shown', async () => {
  const client = new FakeClient();
  const days = new EventDays(new Lifetime(), client, '/a.case');
  days.ask({ start, zone: 'America/New_York' });
  expect(client.calls).toEqual([]);
  days.shown = true;
  const [asked] = client.callsTo('aggregate');
  expect(asked!.args).toMatchObject({
    view: {
      query: '',
      from: parseTime('2024-01-01 05:00')!.toString(),
      to: parseTime('2025-01-01 05:00')!.toString(),
    },
    by: [{ interval: { kind: 'calendar', count: 1, unit: 'day' }, zone: 'America/New_York' }],
  });
  // Clocks change on 10 March.
  const edges = ['2024-03-09 05:00', '2024-03-10 05:00', '2024-03-11 04:00', '2024-03-12 04:00'];
  await asked!.answer(
    answer(
      edges.map((text) => parseTime(text)!),
      [7, 0, 2],
    ),
  );
  expect([...days.value!].map(([day, count]) => [formatDay(day), count])).toEqual([
    ['2024-03-09', 7],
    ['2024-03-11', 2],
  ]);
});

it('a year without events has no days, and another year is asked for', async () => {
  const client = new FakeClient();
  const days = new EventDays(new Lifetime(), client, '/a.case');
  days.shown = true;
  days.ask({ start, zone: 'UTC' });
  await client.callsTo('aggregate')[0]!.answer(answer([], []));
  expect(days.ownValue?.size).toBe(0);
  days.ask({ start: parseTime('2023-01-01')!, zone: 'UTC' });
  expect(days.ownValue).toBeNull();
  expect(client.callsTo('aggregate')[1]!.args.by[0]).toMatchObject({ zone: null });
});
