import { untrack } from 'svelte';

import { Coalesced } from '../base/coalesce';
import type { Lifetime } from '../base/lifetime';
import { onReturn } from '../base/onreturn';
import { engineError, type EngineError } from '../ipc/client';

/** One run of a request. Once another one has overtaken it, nothing of it is shown. */
export interface Run<T> {
  readonly signal: AbortSignal;
  /** Shows a part of the answer, unless more of the same answer is shown already. */
  readonly show: (value: T, fraction: number) => void;
  /** Shows how much of the work is done. */
  readonly report: (progress: { readonly fraction: number }) => void;
}

export interface RequestOptions<A> {
  /** Loads only while `shown` is true. */
  readonly onlyShown?: boolean;
  /** The shortest interval between two answers to a case that grows. */
  readonly everyMs?: number;
  /** For answers that do not depend on the data of the case: an action, or a setting. */
  readonly ignoresGrowth?: boolean;
  /** For lists of no case, which other pages change too: asked again when a person comes back to the page. */
  readonly isShared?: boolean;
  /** Two questions with the same key ask for the same. */
  readonly key?: (asked: A) => string;
}

/** For answers that read more than counts do: asked for at once, they would slow down an import. */
export const SLOWLY = { everyMs: 2_000 } as const;

interface Question<A> {
  readonly asked: A;
  readonly key: string;
}

/** A question, and the state of the data in which it was answered. */
interface Answered {
  readonly key: string;
  readonly epoch: number;
  readonly fraction: number;
  readonly isWhole: boolean;
}

interface Running {
  readonly key: string;
  readonly epoch: number;
  readonly abort: AbortController;
  ended: Promise<unknown>;
}

/** Two questions that ask for the same have the same key. Bigints have no JSON of their own. */
export const keyOf = (asked: unknown): string =>
  JSON.stringify(asked, (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );

/**
 * A question of a part of the screen to the engine, with everything that it shows of that: the value, whether
 * it is current, the progress, and the error.
 *
 * Only the latest question counts: the answer of an overtaken run is never shown, so a slow old answer
 * cannot replace a fast new one. The last valid value stays until a better one arrives; `isStale` says
 * that it is not, or no longer, the answer. The latest question is asked again whenever the case has
 * grown, and everything ends with the lifetime.
 */
export class Request<A, T> {
  /** The last valid answer, or the known part of the next one. */
  value = $state.raw<T | null>(null);
  busy = $state(false);
  /** Why there is no answer to the latest question; null also if a person stopped it. */
  failure = $state.raw<EngineError | null>(null);
  /** The mistake in the query that was asked; the query bar shows it too. */
  mistake = $state.raw<EngineError | null>(null);
  /** The share of the work that is done; 1 if none is under way. */
  fraction = $state(1);

  readonly #lifetime: Lifetime;
  readonly #load: (asked: A, run: Run<T>) => Promise<T>;
  readonly #options: RequestOptions<A>;
  #question = $state.raw<Question<A> | null>(null);
  #answered = $state.raw<Answered | null>(null);
  /** The state of the data that the question is about. */
  #epoch = $state(0);
  /** The question and the epoch that have an answer or a failure. */
  #settled: Pick<Answered, 'key' | 'epoch'> | null = null;
  #running: Running | null = null;
  #isQueued = false;
  #isStopped = false;
  #isShown: boolean;

  constructor(
    lifetime: Lifetime,
    load: (asked: A, run: Run<T>) => Promise<T>,
    options: RequestOptions<A> = {},
  ) {
    this.#lifetime = lifetime;
    this.#load = load;
    this.#options = options;
    this.#isShown = options.onlyShown !== true;
    lifetime.onEnd(() => this.#leave());
    if (options.isShared) onReturn(lifetime, () => !this.#isStopped && !this.busy && this.retry());
    if (options.ignoresGrowth) return;
    const { everyMs } = options;
    const follow = () => this.#start('follow');
    const refresh = everyMs === undefined ? null : new Coalesced(lifetime, follow, everyMs);
    lifetime.onGrowth(() => untrack(() => (refresh === null ? follow() : refresh.request())));
  }

  /** Whether the value is not the answer to the latest question about the present data. */
  get isStale(): boolean {
    const answered = this.#answered;
    return (
      answered !== null && (answered.key !== this.#question?.key || answered.epoch !== this.#epoch)
    );
  }

  /** The value if it answers the latest question, be it about fewer data. */
  get ownValue(): T | null {
    return this.#answered?.key === this.#question?.key ? this.value : null;
  }

  /** The error that is shown instead of the value: the failure, or the mistake in the query. */
  get error(): EngineError | null {
    return this.failure ?? this.mistake;
  }

  /** Whether it is on the screen. */
  set shown(shown: boolean) {
    this.#isShown = shown;
    untrack(() => (shown ? this.#start('replace') : this.#leave()));
  }

  /**
   * Asks, unless the answer is known or on its way; null asks nothing more. `replace` is for a new
   * question of a person and ends a run for another one. `follow` lets that run end first, because
   * questions that come faster than answers would never be answered.
   */
  ask(asked: A | null, how: 'replace' | 'follow' = 'replace'): void {
    if (asked === null) return untrack(() => this.stop());
    const question = this.#questionOf(asked);
    untrack(() => {
      this.#isStopped = false;
      this.#question = question;
      this.#start(how);
    });
  }

  /** Asks in any case, and resolves with the answer; with null if it failed or was overtaken. */
  answer(asked: A): Promise<T | null> {
    // An effect that asks must not run again because of what asking changes.
    return untrack(() => {
      this.#settled = null;
      // The value stays, as that of an earlier state.
      this.#answered &&= { ...this.#answered, epoch: -1, isWhole: false };
      this.ask(asked);
      return (this.#running?.ended ?? Promise.resolve(null)) as Promise<T | null>;
    });
  }

  /** Asks the latest question again, whatever is known. */
  retry(): void {
    untrack(() => {
      if (this.#question === null) return;
      this.#settled = null;
      this.#isStopped = false;
      this.failure = null;
      this.#abort();
      this.#start('replace', true);
    });
  }

  /** Ends the run. The value stays, and nothing is asked until a person asks. */
  stop(): void {
    this.#isStopped = true;
    this.#leave();
  }

  /** Forgets the value as well. */
  forget(): void {
    this.stop();
    this.#question = null;
    this.#answered = null;
    this.#settled = null;
    this.value = null;
    this.#say(null);
  }

  /** Takes an answer that came with something else, such as the reply to a change. */
  put(asked: A, value: T): void {
    this.#abort();
    this.#question = this.#questionOf(asked);
    this.#epoch = this.#now;
    this.#settle({ key: this.#question.key, epoch: this.#epoch, fraction: 1, isWhole: true }, null);
    this.#show(value, asked);
  }

  /** Called with everything that is shown, also with a part. */
  protected arrived(_value: T, _asked: A): void {}

  /** Called with every failure but that of a run that was stopped. */
  protected failed(_error: EngineError, _asked: A): void {}

  #questionOf(asked: A): Question<A> {
    return { asked, key: this.#options.key?.(asked) ?? keyOf(asked) };
  }

  get #now(): number {
    return this.#options.ignoresGrowth ? 0 : this.#lifetime.epoch;
  }

  #start(how: 'replace' | 'follow', isForced = false): void {
    const question = this.#question;
    const epoch = this.#now;
    if (question === null || this.#lifetime.isOver) return;
    this.#epoch = epoch;
    if (this.#isStopped || !this.#isShown) return;
    const { key } = question;
    const is = (other: { key: string; epoch: number } | null) =>
      other?.key === key && other.epoch === epoch;
    const isKnown = is(this.#answered) && this.#answered?.isWhole === true;
    if (!isForced && (isKnown || is(this.#settled))) {
      if (isKnown) this.#settle(this.#answered!, null);
      if (this.#running !== null) this.#abort();
      return;
    }
    this.#isQueued = false;
    const running = this.#running;
    if (is(running)) return;
    if (running !== null && (how === 'follow' || running.key === key)) {
      this.#isQueued = true;
      return;
    }
    running?.abort.abort();
    if (this.#settled?.key !== key) {
      // Whoever returns to the former question finds its answer, or asks it again.
      this.#settled = null;
      this.#say(null);
    }
    const next: Running = { key, epoch, abort: new AbortController(), ended: Promise.resolve() };
    this.#running = next;
    this.busy = true;
    this.fraction = 0;
    next.ended = this.#run(next, question.asked);
  }

  async #run(run: Running, asked: A): Promise<T | null> {
    const { key, epoch, abort } = run;
    const isLatest = () => this.#running === run;
    let deliver: () => T | null;
    try {
      const value = await this.#load(asked, {
        signal: abort.signal,
        show: (part, fraction) => {
          if (isLatest()) this.#showPart(part, { key, epoch, fraction, isWhole: false }, asked);
        },
        report: ({ fraction }) => {
          if (isLatest()) this.fraction = fraction;
        },
      });
      deliver = () => {
        this.#settle({ key, epoch, fraction: 1, isWhole: true }, null);
        this.#show(value, asked);
        return value;
      };
    } catch (cause) {
      deliver = () => this.#fail(engineError(cause), run, asked);
    }
    if (!isLatest()) return null;
    const isQueued = this.#isQueued;
    this.#running = null;
    this.#isQueued = false;
    const found = deliver();
    // The delivery may have asked something, which takes precedence over the queued question.
    if (this.#running === null && isQueued) this.#start('replace');
    if (this.#running === null) this.#idle();
    return found;
  }

  #showPart(part: T, answered: Answered, asked: A): void {
    const known = this.#answered;
    this.fraction = answered.fraction;
    // A part of a newer answer never replaces more of the one to the same question.
    if (known?.key === answered.key && known.fraction >= answered.fraction) return;
    this.#answered = answered;
    this.#say(null);
    this.#show(part, asked);
  }

  #show(value: T, asked: A): void {
    this.value = value;
    this.arrived(value, asked);
  }

  #fail(error: EngineError, { key, epoch }: Running, asked: A): null {
    if (error.code === 'cancelled') return null;
    this.#settle({ key, epoch, fraction: 0, isWhole: false }, error);
    this.failed(error, asked);
    return null;
  }

  #settle(answered: Answered, error: EngineError | null): void {
    this.#settled = answered;
    if (error === null) this.#answered = answered;
    this.#say(error);
  }

  #say(error: EngineError | null): void {
    const isMistake = error?.code === 'queryInvalid';
    this.mistake = isMistake ? error : null;
    this.failure = isMistake ? null : error;
  }

  /** A failure is tried again when somebody comes back. */
  #leave(): void {
    this.#settled = null;
    this.#abort();
  }

  #abort(): void {
    const running = this.#running;
    this.#running = null;
    this.#isQueued = false;
    running?.abort.abort();
    if (running !== null) this.#idle();
  }

  #idle(): void {
    this.busy = false;
    this.fraction = 1;
  }
}
