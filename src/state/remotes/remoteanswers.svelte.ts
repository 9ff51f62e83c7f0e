import type { CallOptions, Client } from '../../ipc/client';
import type { Contract, RemoteSays } from '../../ipc/generated';

/** Calls whose replies say what a cluster's answer lacks. */
const LISTENED = [
  'timeline',
  'page',
  'sortedPage',
  'facets',
  'aggregate',
  'run',
  'patterns',
] as const satisfies readonly (keyof Contract)[];
type Listened = (typeof LISTENED)[number];

/** What is estimated of fields and of results is said with their figures. */
const WITHOUT_NOTES: ReadonlySet<Listened> = new Set(['facets', 'run']);

/** What only one tab shows. */
const TAB: Readonly<Partial<Record<Listened, string>>> = {
  aggregate: 'charts',
  run: 'charts',
  patterns: 'patterns',
};

const NOTHING: RemoteSays = { missing: [], inexact: [], notes: [] };

/** What keeps the answers on the screen from being exact and complete. */
export class RemoteAnswers {
  /** What the last answer of each call says. */
  #said = $state.raw<ReadonlyMap<Listened, RemoteSays>>(new Map());

  /** A client that also hears what answers say. */
  listening(client: Client): Client {
    const call = async <K extends keyof Contract>(
      name: K,
      args: Contract[K]['args'],
      options?: CallOptions<K>,
    ) => {
      const reply = await client.call(name, args, options);
      const listened = LISTENED.find((each) => each === name);
      // An answer that nobody waits for any more is not shown.
      if (listened !== undefined && options?.signal?.aborted !== true) {
        const says = (reply as { remote?: RemoteSays }).remote ?? NOTHING;
        this.#hear(listened, WITHOUT_NOTES.has(listened) ? { ...says, notes: [] } : says);
      }
      return reply;
    };
    return { ...client, call };
  }

  /** All that is said of what a tab shows, each thing once. */
  of(tab: string): RemoteSays {
    const shown = [...this.#said]
      .filter(([name]) => TAB[name] === undefined || TAB[name] === tab)
      .map(([, says]) => says);
    const all = (part: keyof RemoteSays) => [...new Set(shown.flatMap((says) => says[part]))];
    return { missing: all('missing'), inexact: all('inexact'), notes: all('notes') };
  }

  #hear(name: Listened, says: RemoteSays): void {
    if (JSON.stringify(this.#said.get(name) ?? NOTHING) === JSON.stringify(says)) return;
    this.#said = new Map(this.#said).set(name, says);
  }
}
