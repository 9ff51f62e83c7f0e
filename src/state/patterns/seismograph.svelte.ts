import type { Lifetime } from '../../base/lifetime';
import type { Client } from '../../ipc/client';
import type { Granularity, View } from '../../ipc/generated';
import { Request } from '../request.svelte';
import type { RangeChoice } from '../view/ranges';
import { seismographData, type SeismographData } from './seismographdata';

/** As many rows and bins as the engine gives. */
const ROWS = 500;
const BINS = 600;

interface Asked {
  readonly view: View;
  readonly range: RangeChoice;
  readonly granularity: Granularity;
}

/** The patterns in view over time, requested only while they are shown. */
export class Seismograph extends Request<Asked, SeismographData> {
  #view: Omit<Asked, 'granularity'> | null = null;
  #granularity: Granularity = 'template';

  constructor(lifetime: Lifetime, client: Client) {
    super(
      lifetime,
      async ({ view, granularity, range }, { signal, report }) => {
        const request = { view, granularity, rows: ROWS, bins: BINS };
        const options = { signal, progress: report };
        return seismographData(await client.call('seismograph', request, options), range);
      },
      { onlyShown: true },
    );
  }

  show(view: View, range: RangeChoice): void {
    this.#view = { view, range };
    this.#ask();
  }

  cut(granularity: Granularity): void {
    this.#granularity = granularity;
    this.#ask();
  }

  #ask(): void {
    if (this.#view !== null) this.ask({ ...this.#view, granularity: this.#granularity });
  }
}
