import { Latest } from '../../base/latest';
import type { Lifetime } from '../../base/lifetime';
import { engineError, type Client, type EngineError } from '../../ipc/client';
import type { Context, EventId, Row } from '../../ipc/generated';
import { MESSAGE } from '../events/columns';

/** Events shown on either side at first; each click doubles them. */
const STEP = 25;
/** The maximum that the engine returns on either side. */
const MOST = 5_000;

/** The events around an event: in its own source, or among all sources by time. */
export class Surroundings {
  answer = $state.raw<Context | null>(null);
  /** The requested scope. */
  where = $state<'file' | 'everywhere'>('file');
  /** The scope of the answer; the requested one can be newer. */
  answered = $state<'file' | 'everywhere'>('file');
  before = $state(STEP);
  after = $state(STEP);
  busy = $state(false);
  failure = $state.raw<EngineError | null>(null);

  readonly #client: Client;
  readonly #casePath: string;
  readonly #id: EventId;
  readonly #latest: Latest<Context>;
  readonly #lifetime: Lifetime;

  constructor(lifetime: Lifetime, client: Client, casePath: string, id: EventId) {
    this.#lifetime = lifetime;
    this.#latest = new Latest(lifetime, (busy) => (this.busy = busy));
    this.#client = client;
    this.#casePath = casePath;
    this.#id = id;
  }

  /** Oldest first, including the event itself. */
  get rows(): readonly Row[] {
    const answer = this.answer;
    return answer === null ? [] : [...answer.before, answer.event, ...answer.after];
  }

  /** Whether there is more before or after the visible events. */
  get hasEarlier(): boolean {
    return (this.answer?.before.length ?? 0) >= this.before && this.before < MOST;
  }

  get hasLater(): boolean {
    return (this.answer?.after.length ?? 0) >= this.after && this.after < MOST;
  }

  look(where: 'file' | 'everywhere'): void {
    this.where = where;
    this.before = STEP;
    this.after = STEP;
    this.load();
  }

  earlier(): void {
    this.before = Math.min(this.before * 2, MOST);
    this.load();
  }

  later(): void {
    this.after = Math.min(this.after * 2, MOST);
    this.load();
  }

  load(): void {
    const { where } = this;
    const request = {
      case: this.#casePath,
      id: this.#id,
      around: { kind: where },
      before: this.before,
      after: this.after,
      columns: [MESSAGE],
    };
    this.#latest.replace({
      key: JSON.stringify(request),
      load: (signal) => this.#client.call('context', request, { signal }),
      done: (answer) => {
        this.answer = answer;
        this.answered = where;
        this.failure = null;
      },
      failed: (cause) => {
        const error = engineError(cause);
        if (error.code !== 'cancelled') this.failure = error;
      },
    });
  }

  dispose(): void {
    this.#lifetime.end();
  }
}
