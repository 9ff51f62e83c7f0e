import type { Lifetime } from '../../base/lifetime';
import { Timer } from '../../base/timer';
import type { Client } from '../../ipc/client';
import type { EventDetail, EventId, EventRequest, Nanos } from '../../ipc/generated';
import { EventPattern } from './eventpattern.svelte';
import { Request } from '../request.svelte';
import type { Rows } from '../events/rows.svelte';

/** Moving through the list with a held key must not request every event on the way. */
const SETTLE_MS = 60;

/** A case that grows changes its open event only if it is read again. */
const REFRESH_MS = 1_000;

/** The selected event, and its details while the panel is open. */
export class Detail extends Request<EventRequest, EventDetail> {
  /** The row index, or -1. */
  index = $state(-1);
  open = $state(false);
  /** The pattern of the event, while it is shown. */
  readonly pattern: EventPattern;

  readonly #casePath: string;
  readonly #rows: Rows;
  #id: EventId | null = null;
  readonly #settling: Timer;

  constructor(lifetime: Lifetime, client: Client, casePath: string, rows: Rows) {
    super(lifetime, (asked, { signal }) => client.call('event', asked, { signal }), {
      everyMs: REFRESH_MS,
    });
    this.#settling = new Timer(lifetime);
    this.#casePath = casePath;
    this.#rows = rows;
    this.pattern = new EventPattern(lifetime, client);
  }

  /** A row to scroll to; a new object for each request. */
  wished = $state.raw<{ readonly index: number } | null>(null);

  /** Scrolls to a row, near which the open event is located. */
  reveal(index: number): void {
    this.wished = { index };
    if (this.#id !== null) this.index = this.#rows.indexNear(this.#id, index);
  }

  /** Selects a row that can be out of sight. */
  goTo(index: number): void {
    this.select(index);
    this.wished = { index };
  }

  /** Shows an event that was found outside the list. */
  showEvent(id: EventId): void {
    this.index = this.#rows.indexNear(id, Math.max(0, this.index));
    this.#id = id;
    this.open = true;
    this.#load();
  }

  isShown(id: EventId): boolean {
    const shown = this.value?.row.id;
    return this.open && shown?.source === id.source && shown.offset === id.offset;
  }

  select(index: number): void {
    this.index = index;
    this.#id = this.#rows.at(index)?.id ?? null;
    if (this.open) this.#load();
  }

  show(): void {
    if (this.index < 0) return;
    this.open = true;
    this.#load();
  }

  close(): void {
    this.open = false;
    this.#settling.stop();
    this.stop();
    this.pattern.forget();
  }

  /** The open event, to be found in another list; null if none is open. */
  get sought(): { readonly id: EventId; readonly time: Nanos | null } | null {
    const shown = this.value?.row;
    if (!this.open || this.#id === null || shown === undefined) return null;
    return this.isShown(this.#id) ? { id: this.#id, time: shown.time } : null;
  }

  /** Another list is shown: the event stays open, its row is unknown. */
  listReplaced(): void {
    this.index = -1;
    this.wished = null;
  }

  /**
   * Rows have arrived. A selected row without data may have it now; and while a case grows, events
   * move down the list, and the selection follows them.
   */
  rowsCame(): void {
    if (this.index < 0) {
      // The open event may be among the first rows of the new list, or near the requested row.
      const near = this.wished?.index ?? 0;
      if (this.open && this.#id !== null) this.index = this.#rows.indexNear(this.#id, near);
      return;
    }
    if (this.#id !== null) {
      const moved = this.#rows.indexNear(this.#id, this.index);
      if (moved >= 0) this.index = moved;
      return;
    }
    this.#id = this.#rows.at(this.index)?.id ?? null;
    if (this.open) this.#load();
  }

  #load(): void {
    const id = this.#id;
    this.#settling.stop();
    if (id === null) return;
    const ask = () => {
      // Selecting it again tries a failed request once more.
      if (this.error !== null) this.stop();
      this.ask({ case: this.#casePath, id });
    };
    // Returning to the displayed event cancels a request for another one.
    if (this.value === null || this.isShown(id)) ask();
    else this.#settling.start(ask, SETTLE_MS);
  }
}
