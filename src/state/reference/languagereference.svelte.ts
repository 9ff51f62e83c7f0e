import type { Lifetime } from '../../base/lifetime';
import type { Client } from '../../ipc/client';
import type { ReferenceTopic } from '../../ipc/generated';
import { Request } from '../request.svelte';

/** The reference of the language, requested while it is shown, until it has come. */
export class LanguageReference extends Request<object, readonly ReferenceTopic[]> {
  constructor(lifetime: Lifetime, client: Client) {
    super(lifetime, async () => (await client.call('reference', {})).topics, {
      onlyShown: true,
      ignoresGrowth: true,
    });
    this.ask({});
  }
}
