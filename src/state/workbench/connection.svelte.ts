import type { CallOptions, Client } from '../../ipc/client';
import { engineError } from '../../ipc/client';
import type { Contract } from '../../ipc/generated';

/**
 * Notices that the engine of the page is lost. Calls fail as before; but no part of the screen
 * has to explain it, because one screen over all of them does.
 */
export class Connection {
  lost = $state(false);
  /** A person is reconnecting. */
  busy = $state(false);
  /** The client whose calls are watched. */
  readonly client: Client;

  readonly #own: Client;
  readonly #restart: () => void;
  #checking = false;

  /** `restart` starts the page again, which restores what was shown. */
  constructor(client: Client, restart: () => void) {
    this.#own = client;
    this.#restart = restart;
    const call = <K extends keyof Contract>(
      name: K,
      args: Contract[K]['args'],
      options?: CallOptions<K>,
    ) =>
      client.call(name, args, options).catch((cause: unknown) => {
        if (engineError(cause).code === 'unreachable') void this.#check();
        throw cause;
      });
    this.client = { ...client, call };
  }

  /** Starts again if the engine answers. */
  async reconnect(): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    const answers = await this.#answers();
    this.busy = false;
    if (answers) this.#restart();
  }

  /** A single call can fail for its own reasons; the engine is lost if another one fails as well. */
  async #check(): Promise<void> {
    if (this.lost || this.#checking) return;
    this.#checking = true;
    this.lost = !(await this.#answers());
    this.#checking = false;
  }

  async #answers(): Promise<boolean> {
    try {
      await this.#own.call('hello', {});
      return true;
    } catch (cause) {
      return engineError(cause).code !== 'unreachable';
    }
  }
}
