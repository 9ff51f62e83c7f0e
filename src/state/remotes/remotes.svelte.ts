import type { Lifetime } from '../../base/lifetime';
import { engineError, type Client, type EngineError } from '../../ipc/client';
import type { AddRemoteRequest, RemoteCheck, RemoteList } from '../../ipc/generated';
import { Request } from '../request.svelte';

/** What is known of a test of a connection. */
export type Test = 'running' | RemoteCheck | EngineError;

/** The clusters that a person added: the list, and tests of their connections. */
export class Remotes {
  /** The last test of each remote, by its name. */
  tests = $state.raw<ReadonlyMap<string, Test>>(new Map());

  readonly #client: Client;
  readonly #listing: Request<'all', RemoteList>;
  #failure = $state.raw<EngineError | null>(null);
  #testing: AbortController | null = null;

  constructor(lifetime: Lifetime, client: Client) {
    this.#client = client;
    this.#listing = new Request(lifetime, () => client.call('remotes', {}), {
      ignoresGrowth: true,
      isShared: true,
    });
  }

  /** Null until the first answer. */
  get list(): RemoteList | null {
    return this.#listing.value;
  }

  /** Why the last change failed, or why there is no list. */
  get failure(): EngineError | null {
    return this.#failure ?? this.#listing.failure;
  }

  /** Reads the list; nothing connects to any of them. */
  async load(): Promise<boolean> {
    this.#failure = null;
    return (await this.#listing.answer('all')) !== null;
  }

  /** True if it is in the list now. */
  add(request: AddRemoteRequest): Promise<boolean> {
    return this.#change(() => this.#client.call('addRemote', request));
  }

  remove(name: string): Promise<boolean> {
    this.#tested(name, null);
    return this.#change(() => this.#client.call('removeRemote', { name }));
  }

  /** Switches one remote; null switches all of them at once. */
  switch(name: string | null, off: boolean): Promise<boolean> {
    if (off) this.stop();
    return this.#change(() => this.#client.call('switchRemote', { name, off }));
  }

  /** Connects to a remote. Another test ends the one before. */
  async test(name: string): Promise<void> {
    this.stop();
    const abort = new AbortController();
    this.#testing = abort;
    this.#tested(name, 'running');
    try {
      const found = await this.#client.call('checkRemote', { name }, { signal: abort.signal });
      this.#tested(name, found);
    } catch (cause) {
      const error = engineError(cause);
      this.#tested(name, error.code === 'cancelled' ? null : error);
    } finally {
      if (this.#testing === abort) this.#testing = null;
    }
  }

  /** Ends a test that is running. */
  stop(): void {
    this.#testing?.abort();
    this.#testing = null;
  }

  #tested(name: string, test: Test | null): void {
    const tests = new Map(this.tests);
    if (test === null) tests.delete(name);
    else tests.set(name, test);
    this.tests = tests;
  }

  async #change(ask: () => Promise<RemoteList>): Promise<boolean> {
    this.#failure = null;
    try {
      this.#listing.put('all', await ask());
      return true;
    } catch (cause) {
      this.#failure = engineError(cause);
      return false;
    }
  }
}
