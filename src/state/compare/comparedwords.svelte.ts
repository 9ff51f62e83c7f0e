import type { Lifetime } from '../../base/lifetime';
import type { Client } from '../../ipc/client';
import type { CompareRequest, SignificantWords } from '../../ipc/generated';
import { Request, SLOWLY } from '../request.svelte';
import { SIDE_NAMES, viewsOfSides, type ComparedIn, type ComparedSides } from './sides';

/** Words that are listed: more than anyone reads. */
const LISTED = 24;

/** Whether the words of these sides can be counted: those of a cluster are not in a case. */
export function haveWords(sides: ComparedSides): boolean {
  return SIDE_NAMES.every((name) => sides[name].elsewhere?.startsWith('remote:') !== true);
}

/** The words that distinguish side B from side A, requested only while they are shown. */
export class ComparedWords extends Request<CompareRequest, SignificantWords> {
  readonly #place: () => ComparedIn;

  constructor(lifetime: Lifetime, client: Client, place: () => ComparedIn) {
    super(lifetime, (asked, { signal }) => client.call('compareWords', asked, { signal }), SLOWLY);
    this.#place = place;
  }

  show(sides: ComparedSides): void {
    this.ask({ ...viewsOfSides(sides, this.#place()), limit: LISTED });
  }
}
