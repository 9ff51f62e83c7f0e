import { dayOf, monthsLater } from '../../base/calendar';
import type { Lifetime } from '../../base/lifetime';
import { nanosFromTime, timeFromNanos, type Time } from '../../base/time';
import { Clock } from '../../base/zone';
import type { Client } from '../../ipc/client';
import type { Nanos } from '../../ipc/generated';
import { Request, SLOWLY } from '../request.svelte';

interface AskedYear {
  /** Where it begins on the wall clock of the zone. */
  readonly start: Time;
  readonly zone: string;
}

/** How many events of the case each day of a year has, whatever the filter is. Other days have none. */
export class EventDays extends Request<AskedYear, ReadonlyMap<Time, number>> {
  constructor(lifetime: Lifetime, client: Client, casePath: string) {
    super(
      lifetime,
      async ({ start, zone }, { signal }) => {
        const clock = new Clock(zone);
        const [from, to] = [start, monthsLater(start, 12)].map((end) =>
          nanosFromTime<Nanos>(clock.fromWall(end)),
        );
        const view = { case: casePath, query: '', from: from!, to: to! };
        const interval = { kind: 'calendar', count: 1, unit: 'day' } as const;
        const by = [{ kind: 'time', interval, zone: clock.zoneAsked } as const];
        const request = { view, by, measures: [] };
        const { axes, counts } = await client.call('aggregate', request, { signal });
        const edges = axes.flatMap((axis) => (axis.kind === 'time' ? axis.edges : []));
        const days = counts.map((count, at): [Time, number] => {
          return [dayOf(clock.wall(timeFromNanos(edges[at]!))), count];
        });
        return new Map(days.filter(([, count]) => count > 0));
      },
      { ...SLOWLY, onlyShown: true },
    );
  }
}
