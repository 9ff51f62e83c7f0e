import type { Lifetime } from '../../base/lifetime';
import { engineError, type Client, type EngineError } from '../../ipc/client';
import type { Exported, TableFormat, View } from '../../ipc/generated';

interface ExportOptions {
  signal: AbortSignal;
  progress: (part: Exported) => void;
}

export const EVENT_FORMATS = ['csv', 'ndjson', 'parquet', 'raw'] as const;
export type EventFormat = (typeof EVENT_FORMATS)[number] & TableFormat;

interface ExportListener {
  readonly written: (rows: number, name: string) => void;
  readonly failed: (error: EngineError) => void;
}

/** Writes the matching events to a file, one at a time. It continues while other parts of the case are shown. */
export class EventExport {
  /** The share that is written; null if nothing is exported. */
  share = $state<number | null>(null);

  readonly #client: Client;
  readonly #ended: ExportListener;
  #abort: AbortController | null = null;

  constructor(lifetime: Lifetime, client: Client, ended: ExportListener) {
    lifetime.onEnd(() => this.cancel());
    this.#client = client;
    this.#ended = ended;
  }

  /** The events of a view, without the stages of its query. */
  start(view: View, zone: string | null, format: EventFormat, name: string): Promise<void> {
    return this.#write(name, (path, options) =>
      this.#client.call('export', { view, zone, format, path }, options),
    );
  }

  /** The same as documents of an index, which a cluster takes with `_bulk`. */
  startBulk(view: View, index: string, withOriginal: boolean, name: string): Promise<void> {
    return this.#write(name, (path, options) =>
      this.#client.call('writeBulk', { view, index, withOriginal, path }, options),
    );
  }

  cancel(): void {
    this.#abort?.abort();
  }

  async #write(
    name: string,
    write: (path: string, options: ExportOptions) => Promise<Exported>,
  ): Promise<void> {
    this.cancel();
    const abort = new AbortController();
    this.#abort = abort;
    try {
      const saved = await this.#client.saveWritten(name, (path) => {
        this.share = 0;
        const progress = (part: Exported) => this.#progress(abort, part);
        return write(path, { signal: abort.signal, progress });
      });
      if (saved !== null) this.#ended.written(saved.written.rows, saved.name);
    } catch (cause) {
      const error = engineError(cause);
      if (error.code !== 'cancelled') this.#ended.failed(error);
    } finally {
      if (this.#abort === abort) {
        this.#abort = null;
        this.share = null;
      }
    }
  }

  #progress(abort: AbortController, { fraction }: Exported): void {
    if (this.#abort === abort) this.share = fraction;
  }
}
