import type { Lifetime } from '../../base/lifetime';
import type { Client } from '../../ipc/client';
import type { EventDetail, EventId } from '../../ipc/generated';
import { countOf, firstRows, holds, runOf, toggled, withRun, type Runs } from './rowruns';
import { Request } from '../request.svelte';
import type { Rows } from './rows.svelte';

/** The number of complete events per request; for more there is the export. */
export const MOST_COPIED = 1_000;

/** Selected events in the list, for copying or comparing. */
export class EventSelection extends Request<readonly number[], readonly EventDetail[]> {
  runs = $state.raw<Runs>([]);

  readonly #rows: Rows;
  #anchor = 0;

  constructor(lifetime: Lifetime, client: Client, casePath: string, rows: Rows) {
    super(
      lifetime,
      async (selected, { signal }) => {
        const ids: EventId[] = [];
        for (const row of selected) {
          const id = await rows.idAt(row, signal);
          if (id !== null) ids.push(id);
        }
        return (await client.call('events', { case: casePath, ids }, { signal })).events;
      },
      { ignoresGrowth: true },
    );
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
  events(): Promise<readonly EventDetail[] | null> {
    return this.answer(firstRows(this.runs, MOST_COPIED));
  }
}
