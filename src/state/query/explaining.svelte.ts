import { Latest } from '../../base/latest';
import type { Lifetime } from '../../base/lifetime';
import { engineError, type Client, type EngineError } from '../../ipc/client';
import type { Explained, View } from '../../ipc/generated';

/** How the shown query is answered, requested only while somebody looks at it. */
export class Explaining {
  isOpen = $state(false);
  /** The last good answer, which stays until that of another query arrives. */
  answer = $state.raw<Explained | null>(null);
  busy = $state(false);
  failure = $state.raw<EngineError | null>(null);

  readonly #client: Client;
  readonly #latest: Latest<Explained>;

  constructor(lifetime: Lifetime, client: Client) {
    this.#latest = new Latest(lifetime, (busy) => (this.busy = busy));
    this.#client = client;
  }

  /** The view has the stages of the query, or is SQL. */
  show(view: View, zone: string | null): void {
    const request = { view, zone };
    this.#latest.replace({
      key: JSON.stringify(request),
      load: (signal) => this.#client.call('explain', request, { signal }),
      done: (answer) => {
        this.answer = answer;
        this.failure = null;
      },
      failed: (cause) => {
        const error = engineError(cause);
        if (error.code === 'cancelled') return;
        this.answer = null;
        this.failure = error;
      },
    });
  }

  close(): void {
    this.#latest.stop();
    this.isOpen = false;
    this.answer = null;
    this.failure = null;
  }
}
