import type { Lifetime } from '../../base/lifetime';
import type { Client, EngineError } from '../../ipc/client';
import type { Contract, TableFormat, View } from '../../ipc/generated';
import { Request } from '../request.svelte';

export const EVENT_FORMATS = ['csv', 'ndjson', 'parquet', 'raw'] as const;
export type EventFormat = (typeof EVENT_FORMATS)[number] & TableFormat;

interface Written {
  readonly name: string;
  readonly rows: number;
}

interface ExportListener {
  readonly written: (rows: number, name: string) => void;
  readonly failed: (error: EngineError) => void;
}

type Args<K extends 'export' | 'writeBulk'> = Omit<Contract[K]['args'], 'path'>;
/** The events to write, under a name. */
type Export = { readonly name: string } & (
  { readonly events: Args<'export'> } | { readonly bulk: Args<'writeBulk'> }
);

/** Writes the matching events to a file, one at a time. It continues while other parts of the case are shown. */
export class EventExport {
  readonly #writing: Request<Export, Written | null>;
  /** Whether a place for the file was chosen. */
  #isPlaced = $state(false);
  readonly #ended: ExportListener;

  constructor(lifetime: Lifetime, client: Client, ended: ExportListener) {
    this.#ended = ended;
    this.#writing = new Request(
      lifetime,
      async (what, { signal, report }) => {
        const saved = await client.saveWritten(what.name, (path) => {
          this.#isPlaced = true;
          const options = { signal, progress: report };
          return 'events' in what
            ? client.call('export', { ...what.events, path }, options)
            : client.call('writeBulk', { ...what.bulk, path }, options);
        });
        return saved === null ? null : { name: saved.name, rows: saved.written.rows };
      },
      { ignoresGrowth: true },
    );
  }

  /** The share that is written; null if nothing is exported. */
  get share(): number | null {
    return this.#writing.busy && this.#isPlaced ? this.#writing.fraction : null;
  }

  /** The events of a view, without the stages of its query. */
  start(view: View, zone: string | null, format: EventFormat, name: string): Promise<void> {
    return this.#write({ name, events: { view, zone, format } });
  }

  /** The same as documents of an index, which a cluster takes with `_bulk`. */
  startBulk(view: View, index: string, withOriginal: boolean, name: string): Promise<void> {
    return this.#write({ name, bulk: { view, index, withOriginal } });
  }

  cancel(): void {
    this.#writing.stop();
  }

  async #write(what: Export): Promise<void> {
    this.#writing.forget();
    this.#isPlaced = false;
    const written = await this.#writing.answer(what);
    if (written !== null) this.#ended.written(written.rows, written.name);
    else if (this.#writing.error !== null) this.#ended.failed(this.#writing.error);
  }
}
