import type { Lifetime } from '../../base/lifetime';
import type { Client } from '../../ipc/client';
import type { Explained, ExplainRequest } from '../../ipc/generated';
import { Request } from '../request.svelte';

/** How the shown query is answered, requested only while somebody looks at it. */
export class Explaining extends Request<ExplainRequest, Explained> {
  isOpen = $state(false);

  constructor(lifetime: Lifetime, client: Client) {
    super(lifetime, (asked, { signal }) => client.call('explain', asked, { signal }));
  }

  close(): void {
    this.forget();
    this.isOpen = false;
  }
}
