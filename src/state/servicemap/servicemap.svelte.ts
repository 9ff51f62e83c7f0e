import { Latest } from '../../base/latest';
import type { Lifetime } from '../../base/lifetime';
import { engineError, type Client, type EngineError } from '../../ipc/client';
import type { ServiceMap, View } from '../../ipc/generated';

export interface MapChoice {
  /** The field of the id; null until one is chosen. */
  readonly id: string | null;
  /** The field that names the service. */
  readonly node: string;
  /** Whether ids are read under their other names too. */
  readonly linked: boolean;
}

/** Names that fields of ids usually have, the most telling first. */
const USUAL = [/trace/i, /request/i, /correlation/i, /transaction/i, /order/i, /session/i];

/** The field that is most likely an id that several services write. */
export function likelyId(fields: readonly string[]): string | null {
  const ids = fields.filter((name) => /(^|[._-])(u?u?id|no|number)$|id$/i.test(name));
  for (const usual of USUAL) {
    const found = ids.find((name) => usual.test(name));
    if (found !== undefined) return found;
  }
  return null;
}

/** Who follows whom among the events in view, requested only while it is shown. */
export class ServiceMaps {
  choice = $state.raw<MapChoice>({ id: null, node: 'source', linked: true });
  /** The last good answer, and the choice that it answers. */
  found = $state.raw<{ readonly map: ServiceMap; readonly choice: MapChoice } | null>(null);
  busy = $state(false);
  fraction = $state(1);
  failure = $state.raw<EngineError | null>(null);

  readonly #client: Client;
  readonly #latest: Latest<ServiceMap>;
  #view: View | null = null;
  #epoch = 0;
  #shown = false;

  constructor(lifetime: Lifetime, client: Client) {
    this.#latest = new Latest(lifetime, (busy) => (this.busy = busy));
    this.#client = client;
  }

  set shown(shown: boolean) {
    this.#shown = shown;
    if (shown) this.#load('replace');
    else this.#latest.stop();
  }

  show(view: View): void {
    this.#view = view;
    this.#load('replace');
  }

  /** The case has grown. */
  refresh(epoch: number): void {
    this.#epoch = epoch;
    this.#load('follow');
  }

  choose(part: Partial<MapChoice>): void {
    this.choice = { ...this.choice, ...part };
    this.#load('replace');
  }

  retry(): void {
    this.#load('replace');
  }

  #load(how: 'replace' | 'follow'): void {
    const [view, choice] = [this.#view, this.choice];
    if (!this.#shown || view === null || choice.id === null) return;
    const request = { view, id: choice.id, node: choice.node, linked: choice.linked };
    this.fraction = 0;
    this.#latest[how]({
      key: `${JSON.stringify(request)} ${this.#epoch}`,
      load: (signal) =>
        this.#client.call('serviceMap', request, {
          signal,
          progress: ({ fraction }) => {
            if (!signal.aborted) this.fraction = fraction;
          },
        }),
      done: (map) => {
        this.found = { map, choice };
        this.failure = null;
      },
      failed: (cause) => {
        const error = engineError(cause);
        // Query errors are shown under the query bar.
        if (error.code !== 'cancelled' && error.code !== 'queryInvalid') this.failure = error;
      },
    });
  }
}
