import type { Lifetime } from '../../base/lifetime';
import type { Client } from '../../ipc/client';
import type { ServiceMap, View } from '../../ipc/generated';
import { ShownAnswer } from '../view/shownanswer.svelte';

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
export class ServiceMaps extends ShownAnswer<'serviceMap'> {
  choice = $state.raw<MapChoice>({ id: null, node: 'source', linked: true });
  /** The last good answer, and the choice that it answers. */
  found = $state.raw<{ readonly map: ServiceMap; readonly choice: MapChoice } | null>(null);

  constructor(lifetime: Lifetime, client: Client) {
    super(lifetime, client, 'serviceMap');
  }

  show(view: View): void {
    this.about(view);
  }

  choose(part: Partial<MapChoice>): void {
    this.choice = { ...this.choice, ...part };
    this.load();
  }

  protected ask(view: View) {
    const { id, node, linked } = this.choice;
    if (id === null) return null;
    return {
      request: { view, id, node, linked },
      done: (map: ServiceMap) => (this.found = { map, choice: { id, node, linked } }),
    };
  }
}
