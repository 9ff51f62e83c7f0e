import type { Lifetime } from '../../base/lifetime';
import { engineError, type Client, type EngineError } from '../../ipc/client';
import type { UnreadImport } from '../../ipc/generated';

/** What imports of a case have left unread, because they were stopped or cut off. */
export class Unread {
  imports = $state.raw<readonly UnreadImport[]>([]);

  readonly #lifetime: Lifetime;
  readonly #client: Client;
  readonly #path: string;
  readonly #failed: (error: EngineError) => void;

  constructor(
    lifetime: Lifetime,
    client: Client,
    path: string,
    failed: (error: EngineError) => void,
  ) {
    this.#lifetime = lifetime;
    this.#client = client;
    this.#path = path;
    this.#failed = failed;
  }

  get files(): readonly string[] {
    return this.imports.flatMap(({ files }) => files);
  }

  async look(): Promise<void> {
    // Without an answer, the next import or the next opening asks again.
    const found = await this.#client.call('unread', { path: this.#path }).catch(() => null);
    if (found !== null && !this.#lifetime.isOver) this.imports = found.imports;
  }

  /** Gives the imports to whoever continues them. */
  take(): readonly UnreadImport[] {
    const taken = this.imports.filter(({ isThere }) => isThere);
    this.imports = [];
    return taken;
  }

  /** Leaves the files out for good; what is read of them stays. */
  async leaveOut(): Promise<void> {
    const left = this.imports;
    this.imports = [];
    try {
      for (const { request } of left) await this.#client.call('leaveUnread', request);
    } catch (cause) {
      this.#failed(engineError(cause));
    }
  }
}
