import type { Lifetime } from '../../base/lifetime';
import type { Client } from '../../ipc/client';
import type { UnknownWord } from '../../ipc/generated';
import { Request, SLOWLY } from '../request.svelte';

interface Found {
  readonly query: string;
  readonly words: readonly UnknownWord[];
}

/** The words of a query that no event has, and the words that were perhaps meant. */
export class UnknownWords extends Request<string, Found> {
  constructor(lifetime: Lifetime, client: Client, casePath: string) {
    super(
      lifetime,
      async (query, { signal }) => {
        const request = { case: casePath, query };
        const { words } = await client.call('unknownWords', request, { signal });
        return { query, words };
      },
      SLOWLY,
    );
  }

  /** None until they are known. */
  wordsOf(query: string): readonly UnknownWord[] {
    return this.value?.query === query ? this.value.words : [];
  }

  /** Every empty part of the screen asks for the same. */
  look(query: string): void {
    this.ask(query === '' ? null : query);
  }
}
