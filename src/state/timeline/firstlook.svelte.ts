import type { Lifetime } from '../../base/lifetime';
import { nanosFromTime } from '../../base/time';
import type { Client } from '../../ipc/client';
import type { Patterns, PatternsRequest, View } from '../../ipc/generated';
import { Request } from '../request.svelte';
import type { CaseStorage } from '../workbench/casestorage';
import { spikeOf, type Spike } from './spike';
import type { TimelineData } from './timelinedata';

/** Patterns that are looked through for new ones: as many as the engine lists. */
const COMPARED = 10_000;
const SEEN = 'first-look';

/** What a case shows when it is opened for the first time: how much, when, and the spike. */
export class FirstLook {
  spike = $state.raw<Spike | null>(null);
  /** Whether there is something to show. */
  isShown = $state(false);
  /** Whether it was seen before, or a person hid it. */
  isOver = $state(false);

  readonly #storage: CaseStorage;
  /** It is asked again with the timeline, which follows the case. */
  readonly #patterns: Request<PatternsRequest, Patterns>;
  #key = '';

  constructor(lifetime: Lifetime, client: Client, storage: CaseStorage) {
    this.#storage = storage;
    this.#patterns = new Request(
      lifetime,
      (asked, { signal }) => client.call('patterns', asked, { signal }),
      { ignoresGrowth: true },
    );
    this.isOver = storage.read(SEEN) !== null;
  }

  /** Patterns that occur in the spike and not before it; null while they are counted. */
  get newPatterns(): number | null {
    const found = this.#patterns.ownValue?.patterns ?? null;
    return found?.filter(({ count, elsewhere }) => count > 0 && elsewhere === 0).length ?? null;
  }

  /** The whole timeline of the case has arrived. */
  show(casePath: string, data: TimelineData): void {
    const key = `${data.key} ${data.total}`;
    if (this.isOver || key === this.#key) return;
    this.#key = key;
    const spike = spikeOf(data);
    this.spike = spike;
    this.#patterns.forget();
    this.isShown = true;
    this.#storage.write(SEEN, 'seen');
    if (spike === null) return;
    const view: View = {
      case: casePath,
      query: '',
      from: nanosFromTime(spike.range.from),
      to: nanosFromTime(spike.range.to),
    };
    this.#patterns.ask({
      view,
      granularity: 'template',
      limit: COMPARED,
      buckets: 1,
      examples: 0,
      compare: true,
      against: { from: nanosFromTime(data.start), to: nanosFromTime(spike.range.from) },
      variables: [],
      values: 1,
    });
  }

  end(): void {
    this.isOver = true;
    this.#patterns.stop();
  }
}
