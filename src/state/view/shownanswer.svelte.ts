import { Latest } from '../../base/latest';
import type { Lifetime } from '../../base/lifetime';
import { engineError, type Client, type EngineError } from '../../ipc/client';
import type { Contract, View } from '../../ipc/generated';

/** The calls that are answered so. */
type Call = 'seismograph' | 'serviceMap';

/** What is requested, and what is done with the answer. */
interface Asked<K extends Call> {
  readonly request: Contract[K]['args'];
  readonly done: (answer: Contract[K]['reply']) => void;
}

/** A slow answer about the view: requested while it is on the screen, and again when the case has grown. */
export abstract class ShownAnswer<K extends Call> {
  busy = $state(false);
  failure = $state.raw<EngineError | null>(null);
  /** The share of the work that is done. */
  fraction = $state(1);

  readonly #client: Client;
  readonly #call: K;
  readonly #latest: Latest<Contract[K]['reply']>;
  #view: View | null = null;
  #epoch = 0;
  #shown = false;

  constructor(lifetime: Lifetime, client: Client, call: K) {
    this.#client = client;
    this.#call = call;
    this.#latest = new Latest(lifetime, (busy) => (this.busy = busy));
  }

  /** Nothing where the view alone does not say what to ask. */
  protected abstract ask(view: View): Asked<K> | null;

  /** Whether it is on the screen. */
  set shown(shown: boolean) {
    this.#shown = shown;
    if (shown) this.load();
    else this.#latest.stop();
  }

  /** The case has grown. */
  refresh(epoch: number): void {
    this.#epoch = epoch;
    this.load('follow');
  }

  retry(): void {
    this.load();
  }

  protected about(view: View): void {
    this.#view = view;
    this.load();
  }

  protected load(how: 'replace' | 'follow' = 'replace'): void {
    const asked = this.#shown && this.#view !== null ? this.ask(this.#view) : null;
    if (asked === null) return;
    this.fraction = 0;
    this.#latest[how]({
      key: `${JSON.stringify(asked.request)} ${this.#epoch}`,
      load: (signal) =>
        this.#client.call(this.#call, asked.request, {
          signal,
          progress: ({ fraction }) => {
            if (!signal.aborted) this.fraction = fraction;
          },
        }),
      done: (answer) => {
        asked.done(answer);
        this.fraction = 1;
        this.failure = null;
      },
      failed: (cause) => {
        const error = engineError(cause);
        // Query errors are shown under the query bar.
        if (error.code !== 'cancelled' && error.code !== 'queryInvalid') this.failure = error;
      },
    });
  }
}
