import type { Lifetime } from '../../base/lifetime';
import { Timer } from '../../base/timer';
import { engineError, type Client, type EngineError } from '../../ipc/client';
import { Request } from '../request.svelte';
import type { AddLiveRequest, LiveChange, LiveSource, LiveStatus } from '../../ipc/generated';

/** How often counters are requested while something is received. */
const POLL_MS = 500;
/** And while nothing is: another window may begin. */
const IDLE_POLL_MS = 5_000;
/** Samples of the rate: a minute of them. */
export const SAMPLES = 120;
/** A source that was silent for so long is said to be quiet. */
export const QUIET_MS = 60_000;

/** A new source, what it is read as, and new settings for all of the case. */
export type NewLive = Omit<AddLiveRequest, 'case'>;

export interface LiveListener {
  /** The case has a newer revision. */
  published(revision: number): void;
  /** Something is received now, and was not before. */
  began(): void;
  failed(error: EngineError): void;
}

interface Sample {
  readonly at: number;
  readonly accepted: number;
}

/** The live sources of a case: what they are, and how each does. */
export class Live {
  /** The last rates of each source, in events a second, the newest last. */
  rates = $state.raw<ReadonlyMap<number, readonly number[]>>(new Map());
  /** The time of the last answer, in milliseconds since 1970. */
  seenAt = $state(0);

  readonly #client: Client;
  readonly #casePath: string;
  readonly #listener: LiveListener;
  readonly #status: Request<string, LiveStatus>;
  readonly #timer: Timer;
  readonly #lifetime: Lifetime;
  readonly #now: () => number;
  #samples = new Map<number, Sample>();
  #wasReceiving = false;

  constructor(
    lifetime: Lifetime,
    client: Client,
    casePath: string,
    listener: LiveListener,
    now: () => number = Date.now,
  ) {
    this.#status = new Request(
      lifetime,
      (path, { signal }) => client.call('live', { path }, { signal }),
      { ignoresGrowth: true },
    );
    this.#lifetime = lifetime;
    this.#timer = new Timer(lifetime);
    this.#client = client;
    this.#casePath = casePath;
    this.#listener = listener;
    this.#now = now;
  }

  /** Null until the first answer. */
  get status(): LiveStatus | null {
    return this.#status.value;
  }

  get sources(): readonly LiveSource[] {
    return this.status?.sources ?? [];
  }

  get isReceiving(): boolean {
    return this.status?.isReceiving ?? false;
  }

  /** The process that receives into the case, if that is another one. Its sources are only shown. */
  get receiver(): number | null {
    return this.status?.receiver ?? null;
  }

  /** Sources that ran when the case was open last. */
  get offered(): readonly LiveSource[] {
    return this.sources.filter(({ state }) => state === 'offered');
  }

  /** The present rate of a source, in events a second: that of the last second. */
  rate(id: number): number {
    const [before = 0, last = 0] = (this.rates.get(id) ?? []).slice(-2);
    return Math.round((before + last) / 2);
  }

  /** For how long a running source that had events has had none; null if it is not quiet. */
  quietMs({ state, last }: LiveSource): number | null {
    if (state !== 'running' || last === null) return null;
    const ms = this.sinceMs(last);
    return ms >= QUIET_MS ? ms : null;
  }

  /** How long ago a time was, as of the last answer. */
  sinceMs(time: string): number {
    return Math.max(0, this.seenAt - Number(BigInt(time) / 1_000_000n));
  }

  /** Requests the counters, and again and again from then on. */
  look(): void {
    this.#timer.stop();
    void this.#status.answer(this.#casePath).then((status) => {
      // The screen says by itself that the engine is lost.
      if (status === null) this.#again();
      else this.#took(status);
    });
  }

  /** Starts a new source; throws why it cannot be received from. */
  async add(added: NewLive): Promise<void> {
    this.#took(await this.#client.call('addLive', { case: this.#casePath, ...added }));
  }

  change(id: number, change: LiveChange): Promise<void> {
    return this.#attempt(() =>
      this.#client.call('changeLive', { case: this.#casePath, source: id, change }),
    );
  }

  startOffered(): Promise<void> {
    return this.#attempt(() => this.#client.call('startLive', { path: this.#casePath }));
  }

  /** Everything that was received becomes events, and the sources are offered again. */
  async stop(): Promise<void> {
    if (!this.isReceiving) return;
    await this.#attempt(() => this.#client.call('stopLive', { path: this.#casePath }));
  }

  async #attempt(ask: () => Promise<LiveStatus>): Promise<void> {
    try {
      this.#took(await ask());
    } catch (cause) {
      this.#listener.failed(engineError(cause));
      // A source that failed says why in the list too.
      this.look();
    }
  }

  #took(status: LiveStatus): void {
    if (this.#lifetime.isOver) return;
    this.#status.put(this.#casePath, status);
    const before = this.#wasReceiving;
    this.#wasReceiving = status.isReceiving;
    this.seenAt = this.#now();
    this.#sample(status);
    this.#listener.published(status.revision);
    if (status.isReceiving && !before) this.#listener.began();
    this.#again();
  }

  #again(): void {
    this.#timer.start(
      () => this.look(),
      this.isReceiving || this.receiver !== null ? POLL_MS : IDLE_POLL_MS,
    );
  }

  #sample({ sources }: LiveStatus): void {
    const samples = new Map<number, Sample>();
    const rates = new Map<number, readonly number[]>();
    for (const { id, accepted } of sources) {
      const known = this.rates.get(id) ?? [];
      const last = this.#samples.get(id);
      const seconds = last === undefined ? 0 : (this.seenAt - last.at) / 1000;
      // Answers to a person's click come between those of the clock; a moment says nothing of a rate.
      if (last !== undefined && accepted >= last.accepted && seconds < POLL_MS / 2000) {
        samples.set(id, last);
        rates.set(id, known);
        continue;
      }
      samples.set(id, { at: this.seenAt, accepted });
      // Resumed sources count from zero.
      const rate = last === undefined ? null : Math.max(0, accepted - last.accepted) / seconds;
      rates.set(id, rate === null ? known : [...known, rate].slice(-SAMPLES));
    }
    this.#samples = samples;
    this.rates = rates;
  }
}
