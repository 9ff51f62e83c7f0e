import { Latest } from '../../base/latest';
import type { Lifetime } from '../../base/lifetime';
import { engineError, type Client } from '../../ipc/client';
import type { SignificantWords } from '../../ipc/generated';
import { SIDE_NAMES, viewsOfSides, type ComparedIn, type ComparedSides } from './sides';

/** Words that are listed: more than anyone reads. */
const LISTED = 24;

/** Whether the words of these sides can be counted: those of a cluster are not in a case. */
export function haveWords(sides: ComparedSides): boolean {
  return SIDE_NAMES.every((name) => sides[name].elsewhere?.startsWith('remote:') !== true);
}

/** The words that distinguish side B from side A, requested only while they are shown. */
export class ComparedWords {
  /** Null until it has come, or if there is none. */
  answer = $state.raw<SignificantWords | null>(null);
  busy = $state(false);
  hasFailed = $state(false);

  readonly #client: Client;
  readonly #place: () => ComparedIn;
  readonly #latest: Latest<SignificantWords>;
  #asked = '';

  constructor(lifetime: Lifetime, client: Client, place: () => ComparedIn) {
    this.#latest = new Latest(lifetime, (busy) => (this.busy = busy));
    this.#client = client;
    this.#place = place;
  }

  show(sides: ComparedSides, revision: number): void {
    const request = { ...viewsOfSides(sides, this.#place()), limit: LISTED };
    const key = JSON.stringify([request, revision]);
    if (key === this.#asked) return;
    this.#asked = key;
    this.answer = null;
    this.hasFailed = false;
    this.#latest.replace({
      key,
      load: (signal) => this.#client.call('compareWords', request, { signal }),
      done: (answer) => (this.answer = answer),
      failed: (cause) => {
        this.#asked = '';
        this.hasFailed = engineError(cause).code !== 'cancelled';
      },
    });
  }

  /** What is known stays for the next time. */
  stop(): void {
    if (this.busy) this.#asked = '';
    this.#latest.stop();
  }
}
