import { Latest } from '../../base/latest';
import type { Lifetime } from '../../base/lifetime';
import { engineError, type Client, type EngineError } from '../../ipc/client';
import type { Account, Formats, PreviewFile, Reading, Source } from '../../ipc/generated';
import type { ImportJob, Work } from './imports.svelte';
import { saysNothing, withoutNothing } from './importsheet.svelte';
import type { OpenCase } from '../workbench/opencase.svelte';

const SHOWN_EVENTS = 40;

/** The work that applies the choices for sources; null if there are none. */
export function revision(sources: number[], reading: Reading): Work | null {
  if (sources.length === 0) return null;
  const { zone, clockOffset, ...rest } = withoutNothing(reading);
  if (!saysNothing(rest)) return { kind: 'reread', sources, reading: withoutNothing(reading) };
  if (zone === undefined && clockOffset === undefined) return null;
  return {
    kind: 'adjust',
    sources,
    ...(zone === undefined ? {} : { zone }),
    ...(clockOffset === undefined ? {} : { clockOffset }),
  };
}

/** The sources of a case: how each was read, its problems, and a preview with other choices. */
export class SourcesSheet {
  selected = $state<number | null>(null);
  checked = $state.raw<ReadonlySet<number>>(new Set());
  account = $state.raw<Account | null>(null);
  preview = $state.raw<PreviewFile | null>(null);
  failure = $state.raw<EngineError | null>(null);
  busy = $state(false);
  /** The latest re-import of the selected source; null after another choice. */
  applied = $state.raw<ImportJob | null>(null);
  /** Choices that are not applied yet. */
  reading = $state.raw<Reading>({});
  formats = $state.raw<Formats | null>(null);

  readonly #client: Client;
  readonly #opened: OpenCase;
  readonly #start: (work: Work, finished: () => void) => ImportJob;
  readonly #asking: Latest<PreviewFile>;
  readonly #accounts: Latest<Account>;
  readonly #lifetime: Lifetime;

  constructor(
    lifetime: Lifetime,
    client: Client,
    opened: OpenCase,
    start: (work: Work, finished: () => void) => ImportJob,
  ) {
    this.#lifetime = lifetime;
    this.#asking = new Latest(lifetime, (busy) => (this.busy = busy));
    this.#accounts = new Latest(lifetime);
    this.#client = client;
    this.#opened = opened;
    this.#start = start;
    void this.loadFormats();
  }

  get sources(): readonly Source[] {
    return this.#opened.summary.sources;
  }

  get source(): Source | null {
    return this.sources.find(({ id }) => id === this.selected) ?? null;
  }

  get readOnly(): string | null {
    return this.#opened.summary.readOnly;
  }

  /** The sources that the choices are for: those that are checked, else the selected one. */
  get targets(): number[] {
    const checked = this.sources.map(({ id }) => id).filter((id) => this.checked.has(id));
    return checked.length > 0 ? checked : this.selected === null ? [] : [this.selected];
  }

  get canApply(): boolean {
    return revision(this.targets, this.reading) !== null;
  }

  /** Takes sources to those that the choices are for, or away from them. */
  check(sources: readonly number[], isChecked: boolean): void {
    const checked = new Set(this.checked);
    for (const source of sources) {
      if (isChecked) checked.add(source);
      else checked.delete(source);
    }
    this.checked = checked;
    this.applied = null;
    // The preview is of one that the choices are for.
    const [first] = this.targets;
    if (first !== undefined && !this.targets.includes(this.selected ?? -1)) this.#show(first);
  }

  select(source: number): void {
    if (!this.checked.has(source)) {
      this.reading = {};
      this.checked = new Set();
    }
    this.#show(source);
  }

  #show(source: number): void {
    this.selected = source;
    this.account = null;
    this.preview = null;
    this.applied = null;
    this.#read(source);
  }

  /** Shows how a source is read. */
  #read(source: number): void {
    this.#look();
    this.#accounts.replace({
      key: `${source} ${this.#opened.summary.revision}`,
      load: (signal) => this.#client.call('account', { case: this.#path, source }, { signal }),
      done: (account) => (this.account = account),
      failed: (cause) => (this.failure = engineError(cause)),
    });
  }

  choose(reading: Reading): void {
    this.reading = withoutNothing(reading);
    this.applied = null;
    this.#look();
  }

  /** Re-imports the sources with the choices. The current events stay until that is complete. */
  apply(): void {
    const { selected } = this;
    const work = revision(this.targets, this.reading);
    if (work === null) return;
    const job = this.#start(work, () => {
      // The choices are those of the source now, unless a person made others meanwhile.
      if (selected === null || this.#lifetime.isOver || this.selected !== selected) return;
      if (this.applied === job) this.reading = {};
      if (saysNothing(this.reading)) this.#read(selected);
    });
    this.applied = job;
  }

  async loadFormats(): Promise<void> {
    this.formats = await this.#client.call('formats', {}).catch(() => null);
  }

  refresh(): void {
    void this.loadFormats();
    this.#asking.stop();
    this.#look();
  }

  dispose(): void {
    this.#lifetime.end();
  }

  get #path(): string {
    return this.#opened.summary.path;
  }

  #look(): void {
    const source = this.selected;
    if (source === null) return;
    const request = { case: this.#path, source, reading: this.reading, events: SHOWN_EVENTS };
    this.#asking.replace({
      key: `${JSON.stringify(request)} ${this.#opened.summary.revision}`,
      load: (signal) => this.#client.call('previewSource', request, { signal }),
      done: (preview) => {
        this.preview = preview;
        this.failure = null;
      },
      failed: (cause) => (this.failure = engineError(cause)),
    });
  }
}
