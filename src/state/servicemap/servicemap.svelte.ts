import type { Lifetime } from '../../base/lifetime';
import type { Client } from '../../ipc/client';
import type { ServiceMap, View } from '../../ipc/generated';
import { Request } from '../request.svelte';

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

/** A map, and the choice that it answers. */
export interface ChosenMap {
  readonly map: ServiceMap;
  readonly choice: MapChoice;
}

/** Who follows whom among the events in view, requested only while it is shown. */
export class ServiceMaps extends Request<MapChoice & { readonly view: View }, ChosenMap> {
  choice = $state.raw<MapChoice>({ id: null, node: 'source', linked: true });

  #view: View | null = null;
  /** Whether a person chose the field that names the service. */
  #isNodeChosen = false;

  constructor(lifetime: Lifetime, client: Client) {
    super(
      lifetime,
      async ({ view, id, node, linked }, { signal, report }) => {
        const request = { view, id: id ?? '', node, linked };
        const map = await client.call('serviceMap', request, { signal, progress: report });
        return { map, choice: { id, node, linked } };
      },
      { onlyShown: true },
    );
  }

  show(view: View): void {
    this.#view = view;
    this.choose({});
  }

  /** Fills in the choices that nobody has made, from the fields of the case and the one that names the service. */
  suggest(fields: readonly string[], service: string | null): void {
    const { choice } = this;
    const id = choice.id ?? likelyId(fields);
    const node = (this.#isNodeChosen ? null : service) ?? choice.node;
    if (id === choice.id && node === choice.node) return;
    this.choice = { ...choice, id, node };
    this.choose({});
  }

  /** Names the nodes by their sources if no id has events of two services, unless a person chose them. */
  fallBack(): void {
    const { value, choice } = this;
    const isEmpty = value?.map.edges.length === 0 && value.choice.node === choice.node;
    if (isEmpty && !this.#isNodeChosen && choice.node !== 'source') this.choose({ node: 'source' });
  }

  choose(part: Partial<MapChoice>): void {
    if (part.node !== undefined) this.#isNodeChosen = true;
    this.choice = { ...this.choice, ...part };
    if (this.#view !== null && this.choice.id !== null)
      this.ask({ view: this.#view, ...this.choice });
  }
}
