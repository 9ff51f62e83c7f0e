import { Latest } from '../../base/latest';
import type { Lifetime } from '../../base/lifetime';
import { engineError, type Client, type EngineError } from '../../ipc/client';
import type { EventDetail, Pattern, View } from '../../ipc/generated';
import { clause } from '../query/querytext';

export interface OwnPattern {
  /** With its variable values in this event. */
  readonly pattern: Pattern;
  /** The number of events with this pattern in the view, and of all events. */
  readonly inView: number;
  readonly total: number;
}

/** The pattern of the open event's message; requested only while it is shown. */
export class EventPattern {
  answer = $state.raw<OwnPattern | null>(null);
  /** The event has no message, so it has no pattern. */
  missing = $state(false);
  failure = $state.raw<EngineError | null>(null);

  readonly #client: Client;
  readonly #latest: Latest<OwnPattern | null>;

  constructor(lifetime: Lifetime, client: Client) {
    this.#latest = new Latest(lifetime);
    this.#client = client;
  }

  show(event: EventDetail, view: View): void {
    const own = ownView(event, view);
    this.#latest.replace({
      key: JSON.stringify([own, view]),
      load: (signal) => this.#ask(own, view, signal),
      done: (answer) => {
        this.answer = answer;
        this.missing = answer === null;
        this.failure = null;
      },
      failed: (cause) => {
        const error = engineError(cause);
        if (error.code !== 'cancelled') this.failure = error;
      },
    });
  }

  forget(): void {
    this.#latest.stop();
    this.answer = null;
    this.missing = false;
    this.failure = null;
  }

  async #ask(own: View, view: View, signal: AbortSignal): Promise<OwnPattern | null> {
    const ask = (of: View, variables: string[]) =>
      this.#client.call(
        'patterns',
        {
          view: of,
          granularity: 'template',
          limit: 1,
          buckets: 1,
          examples: 0,
          compare: false,
          variables,
          values: 1,
        },
        { signal },
      );
    const found = (await ask(own, [])).patterns[0];
    if (found === undefined) return null;
    const [detailed, counted] = await Promise.all([
      ask(own, [found.id]),
      this.#client
        .call(
          'page',
          { view: narrowed(view, found.id), order: 'oldestFirst', first: 0, count: 0 },
          { signal },
        )
        .then(({ total }) => total),
    ]);
    const { total } = await this.#client.call(
      'page',
      { view, order: 'oldestFirst', first: 0, count: 0 },
      { signal },
    );
    return { pattern: detailed.patterns[0] ?? found, inView: counted, total };
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
