import type { Lifetime } from '../../base/lifetime';
import type { Client } from '../../ipc/client';
import type { EventDetail, Pattern, View } from '../../ipc/generated';
import { clause } from '../query/querytext';
import { Request, SLOWLY } from '../request.svelte';

export interface OwnPattern {
  /** With its variable values in this event. */
  readonly pattern: Pattern;
  /** The number of events with this pattern in the view, and of all events. */
  readonly inView: number;
  readonly total: number;
}

interface Asked {
  /** A view of the event alone. */
  readonly own: View;
  readonly view: View;
}

/** The pattern of the open event's message, requested only while it is shown; null if it has no message. */
export class EventPattern extends Request<Asked, { readonly found: OwnPattern | null }> {
  constructor(lifetime: Lifetime, client: Client) {
    super(
      lifetime,
      async ({ own, view }, { signal }) => {
        const ask = (of: View, variables: string[]) => {
          const few = { limit: 1, buckets: 1, examples: 0, values: 1 };
          const request = { view: of, granularity: 'template' as const, compare: false, variables };
          return client.call('patterns', { ...request, ...few }, { signal });
        };
        const count = async (of: View) => {
          const request = { view: of, order: 'oldestFirst' as const, first: 0, count: 0 };
          return (await client.call('page', request, { signal })).total;
        };
        const found = (await ask(own, [])).patterns[0];
        if (found === undefined) return { found: null };
        const [detailed, inView, total] = await Promise.all([
          ask(own, [found.id]),
          count(narrowed(view, found.id)),
          count(view),
        ]);
        return { found: { pattern: detailed.patterns[0] ?? found, inView, total } };
      },
      SLOWLY,
    );
  }

  show(event: EventDetail, view: View): void {
    this.ask({ own: ownView(event, view), view });
  }
}

/** A view of this event alone. */
function ownView({ row, source }: EventDetail, view: View): View {
  const query = `${clause('source', source.name)} line=${row.line}`;
  if (row.time === null) return { case: view.case, query, from: null, to: null };
  const to = (BigInt(row.time) + 1n).toString() as never;
  return { case: view.case, query, from: row.time, to };
}

function narrowed(view: View, template: string): View {
  const own = clause('template', template);
  return { ...view, query: view.query === '' ? own : `(${view.query}) ${own}` };
}
