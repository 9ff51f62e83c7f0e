import type { Lifetime } from '../../base/lifetime';
import type { Client } from '../../ipc/client';
import type { Compared, CompareRequest } from '../../ipc/generated';
import { ComparedWords } from '../compare/comparedwords.svelte';
import { viewsOfSides, type ComparedIn, type ComparedSides } from '../compare/sides';
import { Request, SLOWLY } from '../request.svelte';

/** Rows that are shown: the best explanations of a range. */
export const SHOWN = 5;

/** What differs in the selected time range from the rest of the time. Requested only while it is shown. */
export class Difference extends Request<CompareRequest, Compared> {
  /** The words that distinguish the range. */
  readonly words: ComparedWords;

  readonly #place: () => ComparedIn;

  constructor(lifetime: Lifetime, client: Client, place: () => ComparedIn) {
    super(
      lifetime,
      (asked, { signal, show }) =>
        client.call('compare', asked, {
          signal,
          progress: (part) => {
            // The rows of the range before stay until there are some of this one.
            if (part.differences.length > 0) show(part, part.fraction);
          },
        }),
      SLOWLY,
    );
    this.words = new ComparedWords(lifetime, client, place);
    this.#place = place;
  }

  show(sides: ComparedSides): void {
    this.ask({ ...viewsOfSides(sides, this.#place()), limit: SHOWN });
  }
}
