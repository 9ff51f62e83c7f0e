import { Latest } from '../../base/latest';
import type { Lifetime } from '../../base/lifetime';
import { engineError, type Client } from '../../ipc/client';
import type { Compared } from '../../ipc/generated';
import { ComparedWords } from '../compare/comparedwords.svelte';
import { viewsOfSides, type ComparedIn, type ComparedSides } from '../compare/sides';

/** Rows that are shown: the best explanations of a range. */
export const SHOWN = 5;

/** What differs in the selected time range from the rest of the time. Requested only while it is shown. */
export class Difference {
  /** Null until the first rows have come, or if there is no answer. */
  answer = $state.raw<Compared | null>(null);
  busy = $state(false);
  hasFailed = $state(false);

  /** The words that distinguish the range. */
  readonly words: ComparedWords;

  readonly #client: Client;
  readonly #place: () => ComparedIn;
  readonly #latest: Latest<Compared>;

  constructor(lifetime: Lifetime, client: Client, place: () => ComparedIn) {
    this.#latest = new Latest(lifetime, (busy) => (this.busy = busy));
    this.#client = client;
    this.words = new ComparedWords(lifetime, client, place);
    this.#place = place;
  }

  show(sides: ComparedSides): void {
    const request = { ...viewsOfSides(sides, this.#place()), limit: SHOWN };
    let isFirst = true;
    this.#latest.replace({
      key: JSON.stringify(request),
      load: (signal) =>
        this.#client.call('compare', request, {
          signal,
          progress: (partial) => {
            // The rows of the range before stay until there are some of this one.
            if (signal.aborted || (isFirst && partial.differences.length === 0)) return;
            isFirst = false;
            this.answer = partial;
          },
        }),
      done: (answer) => {
        this.answer = answer;
        this.hasFailed = false;
      },
      failed: (cause) => {
        // A query with an error is shown under the query bar.
        if (engineError(cause).code === 'cancelled') return;
        this.answer = null;
        this.hasFailed = true;
      },
    });
  }

  stop(): void {
    this.#latest.stop();
    this.answer = null;
    this.hasFailed = false;
  }
}
