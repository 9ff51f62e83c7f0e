import { Coalesced } from '../base/coalesce';
import { Clock } from '../base/zone';
import type { Client } from '../ipc/client';
import type { CaseSummary, ImportProgress, ImportReport } from '../ipc/generated';
import { Boards } from './boards.svelte';
import { Charts } from './charts/charts.svelte';
import { Cursor } from './cursor.svelte';
import { Detail } from './detail.svelte';
import { Explorer } from './explorer.svelte';
import { keepFor } from './kept';
import { Language } from './language';
import { Markers } from './markers.svelte';
import { Results } from './results.svelte';
import { Rows } from './rows.svelte';
import { Templates } from './templates.svelte';

/** New data is shown at most this often; more would cost the import more than it tells a person. */
const REFRESH_MS = 250;

/** While another process writes the case, what it has published is looked for this often. */
const FOLLOW_MS = 1_000;

/** One case on the screen: what it is, what is asked of it, and what came back. */
export class OpenCase {
  summary = $state.raw<CaseSummary>()!;
  readonly explorer: Explorer;
  readonly rows: Rows;
  readonly detail: Detail;
  readonly language: Language;
  readonly templates: Templates;
  readonly charts: Charts;
  readonly boards: Boards;
  readonly results: Results;
  readonly cursor = new Cursor();
  readonly markers = new Markers();

  readonly #client: Client;
  readonly #refresh: Coalesced;
  #revision: number;
  /** How times are written and read, in the zone of the view. */
  readonly #clock = $derived.by(() => new Clock(this.explorer.history.current.zone));
  #following: ReturnType<typeof setTimeout> | null = null;

  constructor(client: Client, summary: CaseSummary) {
    this.#client = client;
    this.summary = summary;
    this.#revision = summary.revision;
    this.rows = new Rows(client, {
      replaced: () => this.detail.listReplaced(),
      came: () => this.detail.rowsCame(),
    });
    this.detail = new Detail(client, summary.path, this.rows);
    this.language = new Language(client, summary.path);
    this.templates = new Templates(client);
    const keep = keepFor(summary.path);
    this.explorer = new Explorer(client, summary.path, () => this.#viewChanged(), keep);
    this.results = new Results(client);
    this.boards = new Boards(client, summary.path);
    this.charts = new Charts(client, summary.path, this.explorer.history);
    this.#refresh = new Coalesced(() => {
      this.explorer.refresh(this.#revision);
      this.rows.refresh(this.#revision);
      this.templates.refresh(this.#revision);
      this.charts.refresh(this.#revision);
    }, REFRESH_MS);
    this.explorer.refresh(this.#revision);
    this.rows.refresh(this.#revision);
    this.charts.refresh(this.#revision);
    this.#viewChanged();
    this.#follow();
  }

  get clock(): Clock {
    return this.#clock;
  }

  /** An import has shown how far it is; a new revision means there is more to see. */
  published(progress: ImportProgress): void {
    if (progress.revision <= this.#revision) return;
    this.#revision = progress.revision;
    this.#refresh.request();
  }

  finished(report: ImportReport): void {
    this.#renew(report.case);
  }

  dispose(): void {
    if (this.#following !== null) clearTimeout(this.#following);
    this.#following = null;
    this.#refresh.stop();
    this.explorer.dispose();
    this.rows.dispose();
    this.templates.dispose();
    this.charts.dispose();
    this.results.stop();
    this.detail.dispose();
  }

  #viewChanged(): void {
    this.rows.show(this.explorer.view, this.explorer.order);
    this.templates.show(this.explorer.view);
  }

  #renew(summary: CaseSummary): void {
    this.summary = summary;
    if (summary.revision <= this.#revision) return;
    this.#revision = summary.revision;
    this.#refresh.request();
  }

  /** Keeps up with another process until it gives the case back. */
  #follow(): void {
    if (this.summary.readOnly === null) return;
    this.#following = setTimeout(() => void this.#look(), FOLLOW_MS);
  }

  async #look(): Promise<void> {
    const looking = this.#following;
    // Where the case cannot be looked at just now, what is shown stays, and the next look may succeed.
    const summary = await this.#client
      .call('openCase', { path: this.summary.path })
      .catch(() => null);
    if (looking !== this.#following) return;
    if (summary !== null) this.#renew(summary);
    this.#follow();
  }
}
