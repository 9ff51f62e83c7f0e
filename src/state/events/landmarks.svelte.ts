import { Coalesced } from '../../base/coalesce';
import { Latest } from '../../base/latest';
import type { Lifetime } from '../../base/lifetime';
import { engineError, type Client, type EngineError } from '../../ipc/client';
import type { EventId, Nanos, Order, Strip, View } from '../../ipc/generated';

export const MARKS = { error: 'level>=error', warning: 'level:warn' } as const;

export type Mark = keyof typeof MARKS | 'match';

const REFRESH_MS = 1_000;

/**
 * The positions of errors, warnings and highlighted events in the list. The highlight is a separate
 * filter that does not narrow the list.
 */
export class Landmarks {
  find = $state('');
  findError = $state.raw<EngineError | null>(null);
  strip = $state.raw<Strip | null>(null);
  busy = $state(false);
  failure = $state.raw<EngineError | null>(null);

  readonly #client: Client;
  readonly #latest: Latest<Strip>;
  readonly #seeking: Latest<number | null>;
  readonly #refresh: Coalesced;
  #asked: { view: View; order: Order } | null = null;
  #cells = 0;
  readonly #held: () => number | null;
  #epoch = 0;

  /** Where marks lie in a result of a cluster is not known; they are found one after the other. */
  readonly #hasStrip: boolean;

  constructor(
    lifetime: Lifetime,
    client: Client,
    /** The revision whose rows the list shows, if it is held. */
    held: () => number | null = () => null,
    isRemote = false,
  ) {
    this.#held = held;
    this.#hasStrip = !isRemote;
    this.#latest = new Latest(lifetime, (busy) => (this.busy = busy));
    this.#seeking = new Latest(lifetime);
    this.#refresh = new Coalesced(lifetime, () => this.#load('follow'), REFRESH_MS);
    this.#client = client;
  }

  /** Null if the list is not in time order: then there are no marks. */
  show(asked: { view: View; order: Order } | null): void {
    this.#asked = asked;
    if (asked === null) {
      this.#latest.stop();
      this.strip = null;
    } else this.#load('replace', true);
  }

  /** How many marks fit next to the list. */
  fit(cells: number): void {
    if (cells === this.#cells) return;
    this.#cells = cells;
    this.#load('follow');
  }

  refresh(epoch: number): void {
    this.#epoch = epoch;
    this.#refresh.request();
  }

  lookFor(find: string): void {
    if (find.trim() === this.find) return;
    this.find = find.trim();
    this.findError = null;
    this.#load('replace');
  }

  /** The next row with a mark, passed to `found`; null if there is none. */
  seek(mark: Mark, backward: boolean, from: number, found: (row: number | null) => void): void {
    const asked = this.#asked;
    if (asked === null) return;
    const wanted = mark === 'match' ? this.find : MARKS[mark];
    const request = { ...asked, from: from < 0 ? null : from, backward, wanted };
    this.#seeking.replace({
      key: JSON.stringify(request),
      load: async (signal) => (await this.#client.call('seek', request, { signal })).row,
      done: (row) => {
        this.failure = null;
        if (mark === 'match') this.findError = null;
        found(row);
      },
      failed: (cause) => {
        const error = engineError(cause);
        if (error.code === 'queryInvalid' && mark === 'match') this.findError = error;
        else if (error.code !== 'cancelled') this.failure = error;
      },
    });
  }

  /** The row of a time, or the row where it would be. */
  locate(time: bigint, found: (row: number) => void): void {
    this.#locate({ time: time.toString() as Nanos }, found);
  }

  /** The row of an event, or the row where it would be if it matched. */
  locateEvent(time: Nanos | null, event: EventId, found: (row: number) => void): void {
    this.#locate({ time: time ?? ('0' as Nanos), event }, found);
  }

  #locate(place: { time: Nanos; event?: EventId }, found: (row: number) => void): void {
    const asked = this.#asked;
    if (asked === null) return;
    const revision = this.#held();
    const request = { ...asked, ...place, ...(revision === null ? {} : { revision }) };
    this.#seeking.replace({
      key: JSON.stringify(request),
      load: async (signal) => (await this.#client.call('locate', request, { signal })).row,
      done: (row) => {
        this.failure = null;
        if (row !== null) found(row);
      },
      failed: (cause) => this.#failed(engineError(cause)),
    });
  }

  /** A highlight that failed is tried again with another view, because that may have been invalid. */
  #load(how: 'replace' | 'follow', withFind = this.findError === null): void {
    const asked = this.#asked;
    if (asked === null || this.#cells === 0 || !this.#hasStrip) return;
    const { find } = this;
    const looksFor = find !== '' && withFind;
    const marks = looksFor ? [MARKS.error, MARKS.warning, find] : [MARKS.error, MARKS.warning];
    const request = { ...asked, cells: this.#cells, marks };
    this.#latest[how]({
      key: `${JSON.stringify(request)} ${this.#epoch}`,
      load: (signal) => this.#client.call('strip', request, { signal }),
      done: (strip) => {
        this.strip = strip;
        this.failure = null;
        if (looksFor) this.findError = null;
      },
      failed: (cause) => {
        const error = engineError(cause);
        if (error.code === 'queryInvalid' && looksFor) {
          // The marks of errors do not wait until the highlight is fixed.
          this.findError = error;
          this.#load('follow');
        } else this.#failed(error);
      },
    });
  }

  #failed(error: EngineError): void {
    if (error.code !== 'cancelled' && error.code !== 'queryInvalid') this.failure = error;
  }
}
