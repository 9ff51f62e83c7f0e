import { Latest } from '../../base/latest';
import type { Lifetime } from '../../base/lifetime';
import { engineError, type Client, type EngineError, type Saved } from '../../ipc/client';
import type {
  Exported,
  Table,
  TableCell,
  TableColumn,
  TableFormat,
  View,
} from '../../ipc/generated';
import { PAGE_ROWS, PageCache } from '../events/pagecache';

/** Cached pages of rows: more than a screen shows, few enough to be small. */
const KEPT_PAGES = 64;
/** Rows that a chart of a result is drawn from; more would not be distinguishable. */
export const CHARTED_ROWS = 5_000;
/** Rows that a copy contains: what a clipboard handles without trouble. */
export const COPIED_ROWS = 10_000;

export interface TableHead {
  readonly columns: readonly TableColumn[];
  readonly total: number;
  readonly notes: readonly string[];
  readonly fraction: number;
  readonly elapsedMs: number;
  /** Whether kernels calculated it; null if nothing is aggregated, or it is partial. */
  readonly calculated: string | null;
  /** Whether a cluster estimated values that are exact when they are asked for so. */
  readonly estimated?: boolean;
}

/** The result of a query with stages: a table that fetches only its visible rows. */
export class Results {
  head = $state.raw<TableHead | null>(null);
  busy = $state(false);
  failure = $state.raw<EngineError | null>(null);
  /** An error that was found at run time. */
  mistake = $state.raw<EngineError | null>(null);
  /** Increases whenever rows arrive; rows are read through `row`. */
  version = $state(0);
  /** The first rows, for a chart. */
  charted = $state.raw<readonly (readonly TableCell[])[]>([]);
  exporting = $state.raw<Exported | null>(null);

  readonly #client: Client;
  readonly #latest: Latest<Table>;
  readonly #paging: Latest<Table>;
  readonly #pages = new PageCache<readonly TableCell[]>(KEPT_PAGES);
  #view: View | null = null;
  #zone: string | null = null;
  #key = '';
  #epoch = 0;
  /** Whether the result is asked for exactly, and which one somebody wishes so. */
  #exact = false;
  #wishedExact = '';
  #export: AbortController | null = null;

  constructor(lifetime: Lifetime, client: Client) {
    lifetime.onEnd(() => this.#export?.abort());
    this.#latest = new Latest(lifetime, (busy) => (this.busy = busy));
    this.#paging = new Latest(lifetime);
    this.#client = client;
  }

  /** Requests a query's result, replacing the previous one. */
  show(view: View, zone: string | null, epoch: number): void {
    const asked = JSON.stringify([view, zone]);
    const exact = asked === this.#wishedExact;
    const key = exact ? `${asked} exact` : asked;
    const grown = key === this.#key && epoch !== this.#epoch;
    if (key === this.#key && !grown) return;
    this.#view = view;
    this.#zone = zone;
    this.#key = key;
    this.#epoch = epoch;
    this.#exact = exact;
    const task = {
      key: `${key} ${epoch}`,
      load: (signal: AbortSignal) =>
        this.#client.call('run', this.#request(view, 0, CHARTED_ROWS), {
          signal,
          progress: (partial) => {
            if (!signal.aborted && partial.columns.length > 0) this.#put(key, epoch, partial);
          },
        }),
      done: (table: Table) => {
        this.#put(key, epoch, table);
        this.failure = null;
        this.mistake = null;
      },
      failed: (cause: unknown) => this.#failed(engineError(cause)),
    };
    this.#paging.stop();
    if (grown) this.#latest.follow(task);
    else this.#latest.replace(task);
  }

  retry(): void {
    const view = this.#view;
    this.#key = '';
    this.failure = null;
    if (view !== null) this.show(view, this.#zone, this.#epoch);
  }

  /** Asks once more, for what a cluster only estimated. */
  calculateExactly(): void {
    if (this.#view === null) return;
    this.#wishedExact = JSON.stringify([this.#view, this.#zone]);
    this.show(this.#view, this.#zone, this.#epoch);
  }

  /** Aborts everything; nobody shows the result any more. */
  stop(): void {
    this.#latest.stop();
    this.#paging.stop();
    this.#export?.abort();
    this.#key = '';
  }

  /** A row, or undefined until it arrives. */
  row(index: number): readonly TableCell[] | undefined {
    return this.#pages.row(this.#key, index);
  }

  /** Fetches the missing rows of a range. */
  want(first: number, last: number): void {
    const view = this.#view;
    // While a result is calculated its rows are partial, and a request for more would restart it.
    if (view === null || this.head === null || this.head.fraction < 1 || this.busy) return;
    const [key, epoch] = [this.#key, this.#epoch];
    for (let page = Math.floor(first / PAGE_ROWS); page * PAGE_ROWS <= last; page += 1) {
      if (this.#pages.isFresh(key, page, epoch)) continue;
      this.#paging.replace({
        key: `${page} ${key} ${epoch}`,
        load: (signal) =>
          this.#client.call('run', this.#request(view, page * PAGE_ROWS, PAGE_ROWS), { signal }),
        done: (table) => {
          this.#pages.put(key, page, epoch, table.rows);
          this.version += 1;
        },
        failed: (cause) => this.#failed(engineError(cause)),
      });
      return;
    }
  }

  /** The first rows, for the clipboard. */
  async firstRows(): Promise<readonly (readonly TableCell[])[]> {
    if (this.#view === null) return [];
    const table = await this.#client.call('run', this.#request(this.#view, 0, COPIED_ROWS));
    return table.rows;
  }

  /** Lets the engine write the whole result to a file. */
  async export(name: string, format: TableFormat): Promise<Saved<Exported> | null> {
    const view = this.#view;
    if (view === null) return null;
    this.#export?.abort();
    const abort = new AbortController();
    this.#export = abort;
    try {
      return await this.#client.saveWritten(name, (path) =>
        this.#client.call(
          'export',
          { view, zone: this.#zone, format, path },
          { signal: abort.signal, progress: (exported) => (this.exporting = exported) },
        ),
      );
    } finally {
      this.exporting = null;
    }
  }

  #request(view: View, first: number, count: number) {
    return { view, zone: this.#zone, first, count, ...(this.#exact ? { exact: true } : {}) };
  }

  #put(key: string, epoch: number, table: Table): void {
    for (let page = 0; page * PAGE_ROWS < table.rows.length; page += 1) {
      const rows = table.rows.slice(page * PAGE_ROWS, (page + 1) * PAGE_ROWS);
      this.#pages.put(key, page, epoch, rows);
    }
    const { columns, total, notes, fraction, elapsedMs, calculated, estimated = false } = table;
    this.head = { columns, total, notes, fraction, elapsedMs, calculated, estimated };
    this.charted = table.rows;
    this.version += 1;
  }

  #failed(error: EngineError): void {
    if (error.code === 'queryInvalid') this.mistake = error;
    else if (error.code !== 'cancelled') this.failure = error;
  }
}
