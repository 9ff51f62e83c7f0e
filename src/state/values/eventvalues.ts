import type { Client } from '../../ipc/client';
import type { EventDetail, EventId } from '../../ipc/generated';

/** The fields of the event under the pointer. It is asked for once while the pointer is on it. */
export class EventValues {
  readonly #client: Client;
  readonly #casePath: string;
  readonly #isRemote: () => boolean;
  #last: { key: string; event: Promise<EventDetail | null> } = {
    key: '',
    event: Promise.resolve(null),
  };

  constructor(client: Client, casePath: string, isRemote: () => boolean) {
    this.#client = client;
    this.#casePath = casePath;
    this.#isRemote = isRemote;
  }

  /** Null if it is not known: a cluster is not asked for every event that the pointer crosses. */
  of(id: EventId): Promise<EventDetail | null> {
    if (this.#isRemote()) return Promise.resolve(null);
    const key = `${id.source} ${id.offset}`;
    if (key !== this.#last.key) {
      const event = this.#client.call('event', { case: this.#casePath, id }).catch(() => {
        // Its words can be used without its fields; the next look asks again.
        this.#last = { ...this.#last, key: '' };
        return null;
      });
      this.#last = { key, event };
    }
    return this.#last.event;
  }
}
