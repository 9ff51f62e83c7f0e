import type { Lifetime } from '../../base/lifetime';
import type { Client } from '../../ipc/client';
import type { Ahead, AheadRequest } from '../../ipc/generated';
import { Request } from '../request.svelte';

/** Searches the files of an import while they are still being read. */
export class FileScan extends Request<AheadRequest, Ahead> {
  constructor(lifetime: Lifetime, client: Client) {
    super(
      lifetime,
      (asked, { signal, show }) =>
        client.call('ahead', asked, { signal, progress: (part) => show(part, part.fraction) }),
      // It is about the files, and not about their events in the case.
      { ignoresGrowth: true },
    );
  }

  /** Null without an answer; the import will show the same events later. */
  get found(): Ahead | null {
    return this.error === null ? this.ownValue : null;
  }
}
