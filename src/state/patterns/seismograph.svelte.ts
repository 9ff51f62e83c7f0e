import type { Lifetime } from '../../base/lifetime';
import type { Client } from '../../ipc/client';
import type { Granularity, Seismograph as Answer, View } from '../../ipc/generated';
import type { RangeChoice } from '../view/ranges';
import { ShownAnswer } from '../view/shownanswer.svelte';
import { seismographData, type SeismographData } from './seismographdata';

/** As many rows and bins as the engine gives. */
const ROWS = 500;
const BINS = 600;

/** The patterns in view over time, requested only while they are shown. */
export class Seismograph extends ShownAnswer<'seismograph'> {
  /** The last good answer, which stays until a better one arrives. */
  data = $state.raw<SeismographData | null>(null);

  #range: RangeChoice = null;
  #granularity: Granularity = 'template';

  constructor(lifetime: Lifetime, client: Client) {
    super(lifetime, client, 'seismograph');
  }

  show(view: View, range: RangeChoice): void {
    this.#range = range;
    this.about(view);
  }

  cut(granularity: Granularity): void {
    if (granularity === this.#granularity) return;
    this.#granularity = granularity;
    this.load();
  }

  protected ask(view: View) {
    const range = this.#range;
    return {
      request: { view, granularity: this.#granularity, rows: ROWS, bins: BINS },
      done: (answer: Answer) => (this.data = seismographData(answer, range)),
    };
  }
}
