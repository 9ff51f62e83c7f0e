import { expect, it } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import { SECOND } from '../../base/time';
import type { Alert, Timeline } from '../../ipc/generated';
import { FakeClient } from '../fakeclient';
import { AlertContext, alertSides, aroundRange, barsOf, nearRange } from './alertcontext.svelte';

const alert = (start: string | null, end: string | null, events = 3) =>
  ({ start, end, events, query: '' }) as Alert;

it('looks ten minutes around a short alert, and twice its length around a long one', () => {
  const hour = 3_600n * SECOND;
  expect(aroundRange(alert('0', `${60n * SECOND}`))).toEqual({
    from: -600n * SECOND,
    to: 660n * SECOND + 1n,
  });
  const long = aroundRange(alert('0', `${hour - 1n}`))!;
  expect([long.from, long.to]).toEqual([-2n * hour, 3n * hour]);
  expect(aroundRange(alert(null, null))).toBeNull();
});

it('compares the time of an alert with all other times, and looks five minutes around it', () => {
  const sides = alertSides(alert('0', `${60n * SECOND}`))!;
  expect(sides.a).toEqual({ ...sides.b, isOutside: true });
  expect(nearRange(alert('0', '1'))).toEqual({ from: -300n * SECOND, to: 300n * SECOND + 1n });
});

it('adds the levels of a bar', () => {
  const series = [{ counts: [1, 2] }, { counts: [3, 4] }];
  expect(barsOf({ series } as Timeline)).toEqual([4, 6]);
  expect(barsOf({ series: [] } as unknown as Timeline)).toEqual([]);
});

it('asks for the measure of the group of an alert in the time around it', () => {
  const client = new FakeClient();
  const context = new AlertContext(new Lifetime(), client, () => ({ casePath: '/c', zone: 'UTC' }));
  const group: [string, string][] = [['host', 'a']];
  const found = { ...alert('0', `${60n * SECOND}`), detector: 'busy', group };
  context.show(found, null);
  const around = { from: `${-600n * SECOND}`, to: `${660n * SECOND + 1n}` };
  expect(client.callsTo('alertMeasure').map(({ args }) => args)).toEqual([
    { case: '/c', detector: 'busy', group, around, slots: 200 },
  ]);
  context.show({ ...found, start: null, end: null }, null);
  expect(context.measure.value).toBeNull();
  expect(client.callsTo('alertMeasure')).toHaveLength(1);
});
