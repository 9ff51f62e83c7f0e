import type { Lifetime } from '../../base/lifetime';
import { asTime, HOUR, MINUTE } from '../../base/time';
import { Timer } from '../../base/timer';
import type { Client } from '../../ipc/client';
import type { PageRequest } from '../../ipc/generated';
import { Request } from '../request.svelte';
import type { Rows } from '../events/rows.svelte';
import type { CaseStorage } from '../workbench/casestorage';
import type { Explorer } from '../view/explorer.svelte';
import { sameRange, type ChosenRange, type RangeChoice } from '../view/ranges';

/** How much time is shown. */
export type LiveLength = '1m' | '5m' | '15m' | '1h' | 'all';

export const LIVE_LENGTHS: readonly LiveLength[] = ['1m', '5m', '15m', '1h', 'all'];

const LENGTHS: Record<Exclude<LiveLength, 'all'>, bigint> = {
  '1m': MINUTE,
  '5m': 5n * MINUTE,
  '15m': 15n * MINUTE,
  '1h': HOUR,
};

/** A range slides in so many steps over its length: few, as each requests the whole view again. */
const STEPS = 60n;

/** The range that ends with the step that the clock is in. */
export function slidingRange(length: Exclude<LiveLength, 'all'>, nowMs: number): ChosenRange {
  const ns = LENGTHS[length];
  const step = ns / STEPS;
  const now = BigInt(Math.floor(nowMs)) * 1_000_000n;
  const to = (now / step + 1n) * step;
  return { from: asTime(to - ns), to: asTime(to), written: `now-${length}` };
}

/**
 * The Live switch: the range slides with the clock and the list follows its end, until a person
 * scrolls away from it. Then all stays as it is, and new events are only counted.
 */
export class LiveMode {
  /** Null while it is off. */
  length = $state<LiveLength | null>(null);
  /** A person looks at something else than the end. */
  isStopped = $state(false);
  /** How many events arrived since. */
  newEvents = $state(0);

  readonly #explorer: Explorer;
  readonly #rows: Rows;
  readonly #storage: CaseStorage;
  readonly #refresh: () => void;
  readonly #now: () => number;
  readonly #timer: Timer;
  /** How many events there are; each publication counts again. */
  readonly #count: Request<PageRequest, number>;
  #counts = 0;
  #range: RangeChoice = null;

  constructor(
    lifetime: Lifetime,
    client: Client,
    explorer: Explorer,
    rows: Rows,
    storage: CaseStorage,
    /** Shows what is new in the case. */
    refresh: () => void,
    now: () => number = Date.now,
  ) {
    this.#timer = new Timer(lifetime);
    this.#count = new Request(
      lifetime,
      async (asked, { signal }) => {
        const { total } = await client.call('page', asked, { signal });
        if (!signal.aborted) this.newEvents = Math.max(0, total - rows.total);
        return total;
      },
      { ignoresGrowth: true, key: () => String((this.#counts += 1)) },
    );
    this.#explorer = explorer;
    this.#rows = rows;
    this.#storage = storage;
    this.#refresh = refresh;
    this.#now = now;
  }

  get isOn(): boolean {
    return this.length !== null;
  }

  /** Whether the list is at its end and stays there. */
  get isFollowing(): boolean {
    return this.length !== null && !this.isStopped && this.#explorer.history.current.sort === null;
  }

  start(length: LiveLength = '15m'): void {
    this.#keep(length);
    this.isStopped = false;
    this.newEvents = 0;
    this.#explorer.hold(null);
    this.#follow();
    this.#range = length === 'all' ? null : slidingRange(length, this.#now());
    // A step of the history, so that undo leads back to the range before.
    this.#explorer.zoom(this.#range);
    this.#refresh();
    this.#tick();
  }

  /** Turns it on again where it was on when the screen was left. */
  restore(): void {
    const length = LIVE_LENGTHS.find((each) => each === this.#storage.read('live'));
    if (length !== undefined && this.length === null) this.start(length);
  }

  end(): void {
    this.#timer.stop();
    this.#count.stop();
    const wasStopped = this.isStopped;
    this.#keep(null);
    this.#explorer.hold(null);
    this.isStopped = false;
    this.newEvents = 0;
    this.#follow();
    if (wasStopped) this.#refresh();
  }

  /** A person has scrolled away from the end. */
  stop(): void {
    if (!this.isFollowing) return;
    this.isStopped = true;
    this.newEvents = 0;
    this.#timer.stop();
    this.#follow();
    this.#explorer.hold(this.#rows.revision);
  }

  /** Goes back to the newest events. */
  resume(): void {
    if (!this.isStopped) return;
    this.isStopped = false;
    this.newEvents = 0;
    this.#count.stop();
    this.#explorer.hold(null);
    this.#follow();
    this.#slide();
    this.#refresh();
    this.#tick();
  }

  /** The case has more. True if that is only counted, and shown when a person goes back. */
  holds(): boolean {
    if (!this.isStopped) return false;
    const { view, order } = this.#explorer;
    const present = { ...view, to: null };
    delete present.revision;
    this.#count.ask({ view: present, order, first: 0, count: 1 }, 'follow');
    return true;
  }

  /** The view was changed: another range, or the way back, ends it. */
  viewChanged(): void {
    if (this.length === null) return;
    if (sameRange(this.#explorer.range, this.#range)) this.#follow();
    else this.end();
  }

  #keep(length: LiveLength | null): void {
    this.length = length;
    this.#storage.write('live', length ?? '');
  }

  #tick(): void {
    if (this.length === null || this.length === 'all') return;
    const stepMs = Number(LENGTHS[this.length] / STEPS / 1_000_000n);
    const untilMs = stepMs - (this.#now() % stepMs);
    this.#timer.start(() => {
      this.#slide();
      this.#tick();
    }, untilMs);
  }

  #slide(): void {
    if (this.length === null || this.length === 'all') return;
    const range = slidingRange(this.length, this.#now());
    if (sameRange(range, this.#range)) return;
    this.#range = range;
    this.#explorer.slide(range);
  }

  #follow(): void {
    this.#rows.followsEnd = this.isFollowing && this.#explorer.order === 'oldestFirst';
  }
}
