import type { Client } from '../../ipc/client';
import type {
  Evidence,
  MarkdownNode,
  NotebookCell,
  NotebookFormat,
  NotebookProgress,
  Page,
  Seismograph,
  ServiceMap,
  Table,
  Timeline,
  View,
} from '../../ipc/generated';
import { CHARTED_ROWS } from '../results/results.svelte';

const TYPES = { html: 'text/html', markdown: 'text/markdown' } as const;

/** Buckets of a chart on a page. */
const BUCKETS = 150;

/** The answer of a cell. */
export type CellAnswer =
  | { readonly kind: 'table'; readonly table: Table }
  | { readonly kind: 'events'; readonly page: Page }
  | { readonly kind: 'timeline'; readonly timeline: Timeline }
  | { readonly kind: 'seismograph'; readonly seismograph: Seismograph }
  | { readonly kind: 'map'; readonly map: ServiceMap }
  | { readonly kind: 'evidence'; readonly events: readonly (Evidence | null)[] };

/** The requests of notebook pages: their Markdown tree, and the answers of their cells. */
export class Cells {
  readonly #client: Client;
  readonly #casePath: string;

  constructor(client: Client, casePath: string) {
    this.#client = client;
    this.#casePath = casePath;
  }

  async read(text: string, signal: AbortSignal): Promise<MarkdownNode[]> {
    return (await this.#client.call('markdown', { text }, { signal })).nodes;
  }

  viewOf({ query, from, to, zone }: NotebookCell): View {
    return { case: this.#casePath, query, from, to, ...(zone === null ? {} : { zone }) };
  }

  async answer(cell: NotebookCell, zone: string, signal: AbortSignal): Promise<CellAnswer> {
    const view = this.viewOf(cell);
    if (cell.kind === 'event') {
      const request = { case: this.#casePath, events: cell.events.map(({ id }) => id) };
      const { events } = await this.#client.call('evidence', request, { signal });
      return { kind: 'evidence', events };
    }
    if (cell.kind === 'seismograph') {
      const request = { view, granularity: 'template' as const, rows: cell.rows, bins: BUCKETS };
      const seismograph = await this.#client.call('seismograph', request, { signal });
      return { kind: 'seismograph', seismograph };
    }
    if (cell.kind === 'map') {
      const { id, by } = cell.map ?? { id: '', by: 'source' };
      const request = { view, id, linked: false, node: by };
      return { kind: 'map', map: await this.#client.call('serviceMap', request, { signal }) };
    }
    if (await this.#makesTable(cell.query, signal)) {
      // `rows` cuts tables; a chart draws all of its result.
      const count = cell.kind === 'chart' ? CHARTED_ROWS : cell.rows;
      const request = { view, zone: cell.zone ?? zone, first: 0, count };
      return { kind: 'table', table: await this.#client.call('run', request, { signal }) };
    }
    if (cell.kind === 'chart') {
      const request = { view, buckets: BUCKETS };
      return {
        kind: 'timeline',
        timeline: await this.#client.call('timeline', request, { signal }),
      };
    }
    const request = { view, order: 'oldestFirst' as const, first: 0, count: cell.rows };
    return { kind: 'events', page: await this.#client.call('page', request, { signal }) };
  }

  /** Exports the notebook to a file. Returns its name, or null if the person cancelled. */
  async exported(
    format: NotebookFormat,
    zone: string,
    progress: (report: NotebookProgress) => void,
  ): Promise<string | null> {
    const request = { case: this.#casePath, pages: null, format, zone, path: null };
    const { name, text } = await this.#client.call('exportNotes', request, { progress });
    return this.#client.save(name, new Blob([text ?? ''], { type: TYPES[format] }));
  }

  /** Whether a query is SQL or has stages, as the engine reads it. */
  async #makesTable(query: string, signal: AbortSignal): Promise<boolean> {
    const request = { case: this.#casePath, query, kql: false };
    const { stages, isSql } = await this.#client.call('check', request, { signal });
    return isSql || stages.length > 0;
  }
}
