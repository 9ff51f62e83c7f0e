import { engineError, type Client, type EngineError } from '../../ipc/client';
import type { ReferenceTopic } from '../../ipc/generated';

/** The reference of the language, requested when it is shown for the first time. */
export class LanguageReference {
  topics = $state.raw<readonly ReferenceTopic[]>([]);
  failure = $state.raw<EngineError | null>(null);

  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async load(): Promise<void> {
    if (this.topics.length > 0) return;
    try {
      this.topics = (await this.#client.call('reference', {})).topics;
      this.failure = null;
    } catch (cause) {
      this.failure = engineError(cause);
    }
  }
}
