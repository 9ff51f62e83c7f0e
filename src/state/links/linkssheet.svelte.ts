import type { Lifetime } from '../../base/lifetime';
import type { Client } from '../../ipc/client';
import type { Clock, Links } from '../../ipc/generated';
import type { Work } from '../importing/imports.svelte';
import { Request, SLOWLY } from '../request.svelte';
import type { OpenCase } from '../workbench/opencase.svelte';

/** What the sources of a case have in common: fields that hold the same values, and their clocks. */
export class LinksSheet extends Request<string, Links> {
  /** Clocks that were corrected here. */
  corrected = $state.raw<readonly Clock[]>([]);

  readonly opened: OpenCase;
  readonly #start: (work: Work) => void;
  readonly #lifetime: Lifetime;

  constructor(lifetime: Lifetime, client: Client, opened: OpenCase, start: (work: Work) => void) {
    super(
      lifetime,
      (path, { signal, report }) => client.call('links', { path }, { signal, progress: report }),
      SLOWLY,
    );
    this.#lifetime = lifetime;
    this.#start = start;
    this.opened = opened;
    this.ask(opened.summary.path);
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
