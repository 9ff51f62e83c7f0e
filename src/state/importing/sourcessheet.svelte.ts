import type { Lifetime } from '../../base/lifetime';
import type { Client, EngineError } from '../../ipc/client';
import type {
  Account,
  Formats,
  PreviewFile,
  PreviewSourceRequest,
  Reading,
  Source,
} from '../../ipc/generated';
import { Request } from '../request.svelte';
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
  /** The latest re-import of the selected source; null after another choice. */
  applied = $state.raw<ImportJob | null>(null);
  /** Choices that are not applied yet. */
  reading = $state.raw<Reading>({});
  readonly account: Request<number, Account>;
  readonly preview: Request<PreviewSourceRequest, PreviewFile>;
  readonly formats: Request<object, Formats>;

  readonly #opened: OpenCase;
  readonly #start: (work: Work, finished: () => void) => ImportJob;
  readonly #lifetime: Lifetime;

  constructor(
    lifetime: Lifetime,
    client: Client,
    opened: OpenCase,
    start: (work: Work, finished: () => void) => ImportJob,
  ) {
    this.#lifetime = lifetime;
    this.#opened = opened;
    this.#start = start;
    const { path } = opened.summary;
    this.account = new Request(lifetime, (source, { signal }) =>
      client.call('account', { case: path, source }, { signal }),
    );
    this.preview = new Request(lifetime, (asked, { signal }) =>
      client.call('previewSource', asked, { signal }),
    );
    this.formats = new Request(lifetime, () => client.call('formats', {}), {
      ignoresGrowth: true,
      isShared: true,
    });
    this.formats.ask({});
  }

  get failure(): EngineError | null {
    return this.preview.error ?? this.account.error;
  }

  /** Whether the sheet shows the source with fewer events than it has, or with other choices. */
  get isStale(): boolean {
    return this.preview.isStale || this.account.isStale;
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

  /**
   * Selects the first source while the selected one is not in the list: the sheet may be open before
   * the case has read any.
   */
  settle(): void {
    const [first] = this.sources;
    if (this.source === null && first !== undefined) this.select(first.id);
  }

  #show(source: number): void {
    this.selected = source;
    this.applied = null;
    this.account.forget();
    this.preview.forget();
    this.account.ask(source);
    this.#look();
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
      if (!saysNothing(this.reading)) return;
      // They are read differently now, whatever is known of them.
      void this.account.answer(selected);
      void this.preview.answer(this.#previewed(selected));
    });
    this.applied = job;
  }

  /** Requests again, after a format was saved or removed. */
  refresh(): void {
    this.formats.retry();
    this.preview.retry();
  }

  dispose(): void {
    this.#lifetime.end();
  }

  #look(): void {
    if (this.selected !== null) this.preview.ask(this.#previewed(this.selected));
  }

  #previewed(source: number): PreviewSourceRequest {
    const { path } = this.#opened.summary;
    return { case: path, source, reading: this.reading, events: SHOWN_EVENTS };
  }
}
