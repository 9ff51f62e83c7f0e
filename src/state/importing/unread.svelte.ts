import type { Lifetime } from '../../base/lifetime';
import { engineError, type Client, type EngineError } from '../../ipc/client';
import type { UnreadImport } from '../../ipc/generated';
import { Request } from '../request.svelte';

/** What imports of a case have left unread, because they were stopped or cut off. */
export class Unread {
  readonly #client: Client;
  readonly #path: string;
  readonly #failed: (error: EngineError) => void;
  readonly #found: Request<string, readonly UnreadImport[]>;

  constructor(
    lifetime: Lifetime,
    client: Client,
    path: string,
    failed: (error: EngineError) => void,
  ) {
    this.#client = client;
    this.#path = path;
    this.#failed = failed;
    this.#found = new Request(
      lifetime,
      async (asked) => (await client.call('unread', { path: asked })).imports,
      { ignoresGrowth: true, isShared: true },
    );
  }

  get imports(): readonly UnreadImport[] {
    return this.#found.value ?? [];
  }

  get files(): readonly string[] {
    return this.imports.flatMap(({ files }) => files);
  }

  /** Asks in any case; without an answer, the next import or the next opening asks again. */
  look(): void {
    void this.#found.answer(this.#path);
  }

  /** Gives the imports to whoever continues them. */
  take(): readonly UnreadImport[] {
    const taken = this.imports.filter(({ isThere }) => isThere);
    this.#found.put(this.#path, []);
    return taken;
  }

  /** Leaves the files out for good; what is read of them stays. */
  async leaveOut(): Promise<void> {
    const left = this.imports;
    this.#found.put(this.#path, []);
    try {
      for (const { request } of left) await this.#client.call('leaveUnread', request);
    } catch (cause) {
      this.#failed(engineError(cause));
    }
  }
}
