import type { Lifetime } from '../../base/lifetime';
import { engineError, type Client, type EngineError } from '../../ipc/client';
import type { EventDetail, EventId } from '../../ipc/generated';
import { countOf, firstRows, holds, runOf, toggled, withRun, type Runs } from './rowruns';
import type { Rows } from './rows.svelte';

/** The number of complete events per request; for more there is the export. */
export const MOST_COPIED = 1_000;

/** Selected events in the list, for copying or comparing. */
export class EventSelection {
  runs = $state.raw<Runs>([]);
  busy = $state(false);
  failure = $state.raw<EngineError | null>(null);

  readonly #client: Client;
  readonly #casePath: string;
  readonly #rows: Rows;
  #anchor = 0;
  #abort: AbortController | null = null;

  constructor(lifetime: Lifetime, client: Client, casePath: string, rows: Rows) {
    lifetime.onEnd(() => this.#abort?.abort());
    this.#client = client;
    this.#casePath = casePath;
    this.#rows = rows;
  }

  get count(): number {
    return countOf(this.runs);
  }

  has(row: number): boolean {
    return holds(this.runs, row);
  }

  /** Starts a range selection here. */
  anchor(row: number): void {
    this.#anchor = row;
    this.clear();
  }

  toggle(row: number, selected: number): void {
    // The previously focused event becomes part of the selection, as in every file list.
    if (this.runs.length === 0 && selected >= 0 && selected !== row)
      this.runs = withRun([], { first: selected, last: selected });
    this.runs = toggled(this.runs, row);
    this.#anchor = row;
  }

  /** Selects from the anchor to this row. */
  extend(row: number): void {
    this.runs = [runOf(this.#anchor, row)];
  }

  all(): void {
    if (this.#rows.total > 0) this.runs = [{ first: 0, last: this.#rows.total - 1 }];
  }

  clear(): void {
    this.runs = [];
    this.failure = null;
  }

  /**
   * The selected events with all details; only the first of very many. Null if it failed or was
   * overtaken.
   */
  async events(): Promise<readonly EventDetail[] | null> {
    this.#abort?.abort();
    const abort = new AbortController();
    this.#abort = abort;
    this.busy = true;
    this.failure = null;
    try {
      const rows = firstRows(this.runs, MOST_COPIED);
      const ids: EventId[] = [];
      for (const row of rows) {
        const id = await this.#rows.idAt(row, abort.signal);
        if (id !== null) ids.push(id);
      }
      const request = { case: this.#casePath, ids };
      const { events } = await this.#client.call('events', request, { signal: abort.signal });
      return abort.signal.aborted ? null : events;
    } catch (cause) {
      if (!abort.signal.aborted) this.failure = engineError(cause);
      return null;
    } finally {
      if (this.#abort === abort) this.busy = false;
    }
  }
}
