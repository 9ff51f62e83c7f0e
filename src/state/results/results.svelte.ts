import type { Lifetime } from '../../base/lifetime';
import type { Client, EngineError, Saved } from '../../ipc/client';
import type {
  Exported,
  RunRequest,
  Table,
  TableCell,
  TableFormat,
  View,
} from '../../ipc/generated';
import { PAGE_ROWS, PageCache } from '../events/pagecache';
import { keyOf, Request } from '../request.svelte';

/** Cached pages of rows: more than a screen shows, few enough to be small. */
const KEPT_PAGES = 64;
/** Rows that a chart of a result is drawn from; more would not be distinguishable. */
export const CHARTED_ROWS = 5_000;
/** Rows that a copy contains: what a clipboard handles without trouble. */
export const COPIED_ROWS = 10_000;

/** The notes of a table, next to its rows. */
export type TableHead = Omit<Table, 'rows' | 'first' | 'revision'>;

type Export = Pick<RunRequest, 'view' | 'zone'> & {
  readonly name: string;
  readonly format: TableFormat;
};

/** The result of a query with stages: a table that fetches only its visible rows. Its value has the first ones. */
export class Results extends Request<RunRequest, Table> {
  /** Increases whenever rows arrive; rows are read through `row`. */
  version = $state(0);
  readonly #exporting: Request<Export, Saved<Exported> | null>;

  readonly #client: Client;
  readonly #paging: Request<RunRequest, Table>;
  readonly #pages = new PageCache<readonly TableCell[]>(KEPT_PAGES);
  #asked: RunRequest | null = null;
  /** The view that the pages are of, and how often it was answered. */
  #key = '';
  #answers = 0;
  /** The result that somebody wishes exactly. */
  #wishedExact = '';

  constructor(lifetime: Lifetime, client: Client) {
    super(lifetime, (asked, { signal, show }) =>
      client.call('run', asked, {
        signal,
        progress: (part) => {
          if (part.columns.length > 0) show(part, part.fraction);
        },
      }),
    );
    this.#client = client;
    // Which rows are missing is decided again with each table, which follows the case.
    this.#paging = new Request(
      lifetime,
      (asked, { signal }) => client.call('run', asked, { signal }),
      { ignoresGrowth: true },
    );
    this.#exporting = new Request(
      lifetime,
      ({ name, ...rest }, { signal }) =>
        client.saveWritten(name, (path) => client.call('export', { ...rest, path }, { signal })),
      { ignoresGrowth: true },
    );
  }

  /** Why the result, or rows of it, are not there; also an error that was found at run time. */
  get problem(): EngineError | null {
    return this.error ?? this.#paging.error;
  }

  get isExporting(): boolean {
    return this.#exporting.busy;
  }

  /** Requests a query's result, replacing the previous one. */
  show(view: View, zone: string | null): void {
    const exact = keyOf([view, zone]) === this.#wishedExact ? { exact: true } : {};
    this.#asked = { view, zone, first: 0, count: CHARTED_ROWS, ...exact };
    // A failure of another result says nothing about this one.
    this.#paging.forget();
    this.ask(this.#asked);
  }

  override retry(): void {
    this.#paging.forget();
    super.retry();
  }

  /** Asks once more, for what a cluster only estimated. */
  calculateExactly(): void {
    if (this.#asked === null) return;
    const { view, zone } = this.#asked;
    this.#wishedExact = keyOf([view, zone]);
    this.show(view, zone);
  }

  /** Aborts everything; nobody shows the result any more. */
  override stop(): void {
    super.stop();
    this.#paging.stop();
    this.#exporting.stop();
  }

  /** A row, or undefined until it arrives. */
  row(index: number): readonly TableCell[] | undefined {
    return this.#pages.row(this.#key, index);
  }

  /** Fetches the missing rows of a range. */
  want(first: number, last: number): void {
    const asked = this.#asked;
    // While a result is calculated its rows are partial, and a request for more would restart it.
    if (asked === null || this.value === null || this.value.fraction < 1 || this.busy) return;
    const [key, answers] = [this.#key, this.#answers];
    for (let page = Math.floor(first / PAGE_ROWS); page * PAGE_ROWS <= last; page += 1) {
      if (this.#pages.isFresh(key, page, answers)) continue;
      const request = { ...asked, first: page * PAGE_ROWS, count: PAGE_ROWS };
      void this.#paging.answer(request).then((table) => {
        if (table === null) return;
        this.#pages.put(key, page, answers, table.rows);
        this.version += 1;
      });
      return;
    }
  }

  /** The first rows, for the clipboard. */
  async firstRows(): Promise<readonly (readonly TableCell[])[]> {
    if (this.#asked === null) return [];
    return (await this.#client.call('run', { ...this.#asked, count: COPIED_ROWS })).rows;
  }

  /** Lets the engine write the whole result to a file. Throws why it could not. */
  async export(name: string, format: TableFormat): Promise<Saved<Exported> | null> {
    if (this.#asked === null) return null;
    const { view, zone } = this.#asked;
    const saved = await this.#exporting.answer({ name, view, zone, format });
    if (this.#exporting.error !== null) throw this.#exporting.error;
    return saved;
  }

  protected override arrived(table: Table, asked: RunRequest): void {
    this.#key = keyOf(asked);
    this.#answers += 1;
    for (let page = 0; page * PAGE_ROWS < table.rows.length; page += 1) {
      const rows = table.rows.slice(page * PAGE_ROWS, (page + 1) * PAGE_ROWS);
      this.#pages.put(this.#key, page, this.#answers, rows);
    }
    this.version += 1;
  }
}
