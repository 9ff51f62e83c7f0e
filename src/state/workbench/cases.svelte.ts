import { engineError, type Client, type EngineError } from '../../ipc/client';
import type { CaseSummary } from '../../ipc/generated';

/** What is known of a case in the list of cases and in its own window. */
export interface CaseFacts {
  readonly path: string;
  readonly name: string;
  readonly events: number;
  readonly bytesOnDisk: number;
}

export interface CaseQuestion {
  readonly kind: 'rename' | 'delete';
  readonly about: CaseFacts;
}

/** What the rest of the window has to do when a case changes. */
export interface CasesListener {
  renamed(summary: CaseSummary): void;
  copied(): Promise<void>;
  /** Closes the case before it is deleted, because its folder disappears. */
  deleting(path: string): Promise<void>;
  deleted(): Promise<void>;
  failed(error: EngineError): void;
}

/** Another name for a case, a copy of it, and its end. */
export class Cases {
  /** The question that is asked in a dialog. */
  asking = $state.raw<CaseQuestion | null>(null);
  busy = $state(false);
  /** The share of a copy that is made. */
  copying = $state<number | null>(null);

  readonly #client: Client;
  readonly #listener: CasesListener;
  #abort: AbortController | null = null;

  constructor(client: Client, listener: CasesListener) {
    this.#client = client;
    this.#listener = listener;
  }

  ask(question: CaseQuestion): void {
    this.asking = question;
  }

  close(): void {
    this.asking = null;
  }

  /** True if the case has the name now. */
  async rename({ path }: CaseFacts, name: string): Promise<boolean> {
    if (name.trim() === '') return false;
    return this.#attempt(async () => {
      this.#listener.renamed(await this.#client.call('renameCase', { path, name: name.trim() }));
    });
  }

  async duplicate({ path }: CaseFacts, name: string): Promise<boolean> {
    const abort = new AbortController();
    this.#abort = abort;
    this.copying = 0;
    const done = await this.#attempt(async () => {
      await this.#client.call(
        'duplicateCase',
        { path, name },
        {
          signal: abort.signal,
          progress: ({ bytes, of }) => (this.copying = of === 0 ? 0 : bytes / of),
        },
      );
      await this.#listener.copied();
    });
    this.copying = null;
    this.#abort = null;
    return done;
  }

  cancelCopy(): void {
    this.#abort?.abort();
  }

  async delete({ path }: CaseFacts): Promise<boolean> {
    return this.#attempt(async () => {
      await this.#listener.deleting(path);
      await this.#client.call('deleteCase', { path });
      await this.#listener.deleted();
    });
  }

  async #attempt(action: () => Promise<void>): Promise<boolean> {
    this.busy = true;
    try {
      await action();
      return true;
    } catch (cause) {
      const error = engineError(cause);
      if (error.code !== 'cancelled') this.#listener.failed(error);
      return false;
    } finally {
      this.busy = false;
    }
  }
}
