import { Coalesced } from '../base/coalesce';
import type { Client } from '../ipc/client';
import type { CaseSummary, ImportProgress, ImportReport } from '../ipc/generated';
import { Detail } from './detail.svelte';
import { Explorer } from './explorer.svelte';
import { Rows } from './rows.svelte';

/** New data is shown at most this often; more would cost the import more than it tells a person. */
const REFRESH_MS = 250;

/** One case on the screen: what it is, what is asked of it, and what came back. */
export class OpenCase {
  summary = $state.raw<CaseSummary>()!;
  readonly explorer: Explorer;
  readonly rows: Rows;
  readonly detail: Detail;

  readonly #refresh: Coalesced;
  #revision: number;

  constructor(client: Client, summary: CaseSummary) {
    this.summary = summary;
    this.#revision = summary.revision;
    this.rows = new Rows(client, {
      replaced: () => this.detail.listReplaced(),
      came: () => this.detail.rowsCame(),
    });
    this.detail = new Detail(client, summary.path, this.rows);
    this.explorer = new Explorer(client, summary.path, () =>
      this.rows.show(this.explorer.view, this.explorer.order),
    );
    this.#refresh = new Coalesced(() => {
      this.explorer.refresh(this.#revision);
      this.rows.refresh(this.#revision);
    }, REFRESH_MS);
    this.explorer.refresh(this.#revision);
    this.rows.refresh(this.#revision);
    this.rows.show(this.explorer.view, this.explorer.order);
  }

  /** An import has shown how far it is; a new revision means there is more to see. */
  published(progress: ImportProgress): void {
    if (progress.revision <= this.#revision) return;
    this.#revision = progress.revision;
    this.#refresh.request();
  }

  finished(report: ImportReport): void {
    this.summary = report.case;
    this.#revision = Math.max(this.#revision, report.case.revision);
    this.#refresh.request();
  }

  dispose(): void {
    this.#refresh.stop();
    this.explorer.dispose();
    this.rows.dispose();
    this.detail.dispose();
  }
}
