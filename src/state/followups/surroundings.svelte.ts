import type { Lifetime } from '../../base/lifetime';
import type { Client } from '../../ipc/client';
import type { Context, ContextRequest, EventId, Row } from '../../ipc/generated';
import { MESSAGE } from '../events/columns';
import { Request, SLOWLY } from '../request.svelte';

/** Events shown on either side at first; each click doubles them. */
const STEP = 25;
/** The maximum that the engine returns on either side. */
const MOST = 5_000;

type Scope = 'file' | 'everywhere';

/** The events around an event: in its own source, or among all sources by time. */
export class Surroundings extends Request<ContextRequest, Context> {
  /** The requested scope. */
  where = $state<Scope>('file');
  /** The scope of the value; the requested one can be newer. */
  answered = $state<Scope>('file');
  before = $state(STEP);
  after = $state(STEP);

  readonly #casePath: string;
  readonly #id: EventId;
  readonly #lifetime: Lifetime;

  constructor(lifetime: Lifetime, client: Client, casePath: string, id: EventId) {
    super(lifetime, (asked, { signal }) => client.call('context', asked, { signal }), SLOWLY);
    this.#lifetime = lifetime;
    this.#casePath = casePath;
    this.#id = id;
  }

  /** Oldest first, including the event itself. */
  get rows(): readonly Row[] {
    const { value } = this;
    return value === null ? [] : [...value.before, value.event, ...value.after];
  }

  /** Whether there is more before or after the visible events. */
  get hasEarlier(): boolean {
    return (this.value?.before.length ?? 0) >= this.before && this.before < MOST;
  }

  get hasLater(): boolean {
    return (this.value?.after.length ?? 0) >= this.after && this.after < MOST;
  }

  look(where: Scope): void {
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
    this.ask({
      case: this.#casePath,
      id: this.#id,
      around: { kind: this.where },
      before: this.before,
      after: this.after,
      columns: [MESSAGE],
    });
  }

  protected override arrived(_: Context, { around }: ContextRequest): void {
    this.answered = around.kind === 'file' ? 'file' : 'everywhere';
  }

  dispose(): void {
    this.#lifetime.end();
  }
}
