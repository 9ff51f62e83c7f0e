import type { Lifetime } from '../../base/lifetime';
import type { Client, EngineError } from '../../ipc/client';
import type {
  EventId,
  LocateRequest,
  Nanos,
  Order,
  SeekRequest,
  Strip,
  StripRequest,
  View,
} from '../../ipc/generated';
import { Request } from '../request.svelte';

export const MARKS = { error: 'level>=error', warning: 'level:warn' } as const;

export type Mark = keyof typeof MARKS | 'match';

const REFRESH_MS = 1_000;

/** A search for a row: the next one with a mark, or that of a time or an event. */
type Seek = { readonly seek: SeekRequest } | { readonly locate: LocateRequest };

/**
 * The positions of errors, warnings and highlighted events in the list. The highlight is a separate
 * filter that does not narrow the list.
 */
export class Landmarks extends Request<StripRequest, Strip> {
  find = $state('');
  findError = $state.raw<EngineError | null>(null);

  /** Its answer is an object, because null means that it failed or was overtaken. */
  readonly #seeking: Request<Seek, { readonly row: number | null }>;
  #view: { view: View; order: Order } | null = null;
  #cells = 0;
  /** Where marks lie in a result of a cluster is not known; they are found one after the other. */
  readonly #hasStrip: boolean;

  constructor(lifetime: Lifetime, client: Client, isRemote = false) {
    super(lifetime, (asked, { signal }) => client.call('strip', asked, { signal }), {
      everyMs: REFRESH_MS,
    });
    this.#hasStrip = !isRemote;
    this.#seeking = new Request(
      lifetime,
      (asked, { signal }): Promise<{ readonly row: number | null }> =>
        'seek' in asked
          ? client.call('seek', asked.seek, { signal })
          : client.call('locate', asked.locate, { signal }),
      { ignoresGrowth: true },
    );
  }

  /** Why the marks, or a row, could not be found. */
  get problem(): EngineError | null {
    return this.#seeking.failure ?? this.failure;
  }

  /** Null if the list is not in time order: then there are no marks. */
  show(asked: { view: View; order: Order } | null): void {
    this.#view = asked;
    this.#seeking.failure = null;
    if (asked === null) this.forget();
    else this.#load('replace', true);
  }

  /** How many marks fit next to the list. */
  fit(cells: number): void {
    if (cells === this.#cells) return;
    this.#cells = cells;
    this.#load('follow');
  }

  lookFor(find: string): void {
    if (find.trim() === this.find) return;
    this.find = find.trim();
    this.findError = null;
    this.#load('replace');
  }

  /** The next row with a mark, passed to `found`; null if there is none. */
  seek(mark: Mark, backward: boolean, from: number, found: (row: number | null) => void): void {
    if (this.#view === null) return;
    const wanted = mark === 'match' ? this.find : MARKS[mark];
    const seek = { ...this.#view, from: from < 0 ? null : from, backward, wanted };
    void this.#seeking.answer({ seek }).then((answer) => {
      const { mistake } = this.#seeking;
      if (mark === 'match' && (answer !== null || mistake !== null)) this.findError = mistake;
      if (answer !== null) found(answer.row);
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
    if (this.#view === null) return;
    const locate = { ...this.#view, ...place };
    void this.#seeking.answer({ locate }).then((answer) => {
      if (answer !== null && answer.row !== null) found(answer.row);
    });
  }

  /** A highlight that failed is tried again with another view, because that may have been invalid. */
  #load(how: 'replace' | 'follow', withFind = this.findError === null): void {
    if (this.#view === null || this.#cells === 0 || !this.#hasStrip) return;
    const highlight = this.find !== '' && withFind ? [this.find] : [];
    const marks = [MARKS.error, MARKS.warning, ...highlight];
    this.ask({ ...this.#view, cells: this.#cells, marks }, how);
  }

  protected override arrived(_: Strip, { marks }: StripRequest): void {
    if (marks.length > 2) this.findError = null;
  }

  protected override failed(error: EngineError, { marks }: StripRequest): void {
    if (error.code !== 'queryInvalid' || marks.length <= 2) return;
    // The marks of errors do not wait until the highlight is fixed.
    this.findError = error;
    this.#load('follow');
  }
}
