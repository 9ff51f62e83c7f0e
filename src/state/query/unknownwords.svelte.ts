import { Latest } from '../../base/latest';
import type { Lifetime } from '../../base/lifetime';
import type { Client } from '../../ipc/client';
import type { UnknownWord } from '../../ipc/generated';

/** The words of a query that no event has, and what they were perhaps meant for. */
export class UnknownWords {
  #found = $state.raw<{ query: string; words: readonly UnknownWord[] }>({ query: '', words: [] });
  #asked = '';
  readonly #client: Client;
  readonly #casePath: string;
  readonly #latest: Latest<readonly UnknownWord[]>;

  constructor(lifetime: Lifetime, client: Client, casePath: string) {
    this.#latest = new Latest(lifetime);
    this.#client = client;
    this.#casePath = casePath;
  }

  /** None until they are known. */
  wordsOf(query: string): readonly UnknownWord[] {
    return this.#found.query === query ? this.#found.words : [];
  }

  /** Every empty part of the screen asks for the same. */
  look(query: string, revision: number): void {
    const key = JSON.stringify([query, revision]);
    if (query === '' || key === this.#asked) return;
    this.#asked = key;
    this.#latest.replace({
      key,
      load: async (signal) => {
        const request = { case: this.#casePath, query };
        return (await this.#client.call('unknownWords', request, { signal })).words;
      },
      done: (words) => (this.#found = { query, words }),
      // Query errors are shown elsewhere.
      failed: () => (this.#asked = ''),
    });
  }
}
