import { Latest } from '../../base/latest';
import type { Lifetime } from '../../base/lifetime';
import type { Client } from '../../ipc/client';
import type { Ahead, AheadRequest } from '../../ipc/generated';

/** Searches the files of an import while they are still being read. */
export class FileScan {
  /** Null without a request or an answer. */
  found = $state.raw<Ahead | null>(null);

  readonly #client: Client;
  readonly #latest: Latest<Ahead>;

  constructor(lifetime: Lifetime, client: Client) {
    this.#latest = new Latest(lifetime);
    this.#client = client;
  }

  look(request: AheadRequest): void {
    this.found = null;
    this.#latest.replace({
      key: JSON.stringify(request),
      load: (signal) =>
        this.#client.call('ahead', request, {
          signal,
          progress: (found) => {
            if (!signal.aborted) this.found = found;
          },
        }),
      done: (found) => (this.found = found),
      // The import will show the same events later.
      failed: () => (this.found = null),
    });
  }

  stop(): void {
    this.#latest.stop();
    this.found = null;
  }
}
