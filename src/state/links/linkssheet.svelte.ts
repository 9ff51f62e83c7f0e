import { Latest } from '../../base/latest';
import type { Lifetime } from '../../base/lifetime';
import { engineError, type Client, type EngineError } from '../../ipc/client';
import type { Clock, Links } from '../../ipc/generated';
import type { Work } from '../importing/imports.svelte';
import type { OpenCase } from '../workbench/opencase.svelte';

/** What the sources of a case have in common: fields that hold the same values, and their clocks. */
export class LinksSheet {
  found = $state.raw<Links | null>(null);
  /** The share of the events that was read. */
  fraction = $state(0);
  failure = $state.raw<EngineError | null>(null);
  busy = $state(false);
  /** Clocks that were corrected here. */
  corrected = $state.raw<readonly Clock[]>([]);

  readonly opened: OpenCase;
  readonly #client: Client;
  readonly #start: (work: Work) => void;
  readonly #latest: Latest<Links>;
  readonly #lifetime: Lifetime;

  constructor(lifetime: Lifetime, client: Client, opened: OpenCase, start: (work: Work) => void) {
    this.#latest = new Latest(lifetime, (busy) => (this.busy = busy));
    this.#lifetime = lifetime;
    this.#client = client;
    this.#start = start;
    this.opened = opened;
    this.look();
  }

  look(): void {
    const { path } = this.opened.summary;
    this.fraction = 0;
    this.failure = null;
    this.#latest.replace({
      key: path,
      load: (signal) =>
        this.#client.call(
          'links',
          { path },
          { signal, progress: ({ fraction }) => (this.fraction = fraction) },
        ),
      done: (found) => (this.found = found),
      failed: (cause) => (this.failure = engineError(cause)),
    });
  }

  get readOnly(): string | null {
    return this.opened.summary.readOnly;
  }

  /** The name of a series of sources: of a rotated set, or of its one source. */
  nameOf(source: number): string {
    const found = this.opened.summary.sources.find(({ id }) => id === source);
    return found?.set ?? found?.name ?? '';
  }

  /** Whether one offset makes the clocks agree. */
  canCorrect(clock: Clock): boolean {
    return clock.differs && clock.estimate.jump === null && this.readOnly === null;
  }

  /** Sets the offset of the second source, in all files of its series. */
  correct(clock: Clock): void {
    const second = this.opened.summary.sources.find(({ id }) => id === clock.sources[1]);
    if (second === undefined) return;
    const isOfSeries = ({ id, set }: { id: number; set?: string }) =>
      id === second.id || (set !== undefined && set === second.set);
    const sources = this.opened.summary.sources.filter(isOfSeries).map(({ id }) => id);
    this.#start({ kind: 'adjust', sources, clockOffset: clock.setNs });
    this.corrected = [...this.corrected, clock];
  }

  dispose(): void {
    this.#lifetime.end();
  }
}
