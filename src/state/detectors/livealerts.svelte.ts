import { Latest } from '../../base/latest';
import type { Lifetime } from '../../base/lifetime';
import type { Client } from '../../ipc/client';
import type {
  DetectorProblem,
  LiveAlert,
  LiveAlerts as Answer,
  WireError,
} from '../../ipc/generated';

/** Notices on the screen at once, the newest. */
export const MOST_NOTICES = 3;

/** What detectors sent while the case receives, and what of it is worth a notice. */
export class LiveAlerts {
  /** The newest last. */
  alerts = $state.raw<readonly LiveAlert[]>([]);
  /** Detectors that cannot run. */
  problems = $state.raw<readonly DetectorProblem[]>([]);
  /** Why none is evaluated. */
  trouble = $state.raw<WireError | null>(null);
  /** Alerts that fire, or came and went, and that nobody put away. */
  notices = $state.raw<readonly LiveAlert[]>([]);

  readonly #client: Client;
  readonly #casePath: string;
  readonly #isQuiet: (message: LiveAlert) => boolean;
  readonly #latest: Latest<Answer>;
  /** The number of the last message that was looked at. */
  #seen = 0;

  constructor(
    lifetime: Lifetime,
    client: Client,
    casePath: string,
    /** Whether a person does not want to be notified of an alert. */
    isQuiet: (message: LiveAlert) => boolean,
  ) {
    this.#client = client;
    this.#casePath = casePath;
    this.#isQuiet = isQuiet;
    this.#latest = new Latest(lifetime);
  }

  /** Requests what was sent since. */
  look(): void {
    this.#latest.replace({
      key: 'alerts',
      load: (signal) => this.#client.call('liveAlerts', { path: this.#casePath }, { signal }),
      done: (answer) => this.#took(answer),
      // The screen says by itself that the engine is lost.
      failed: () => {},
    });
  }

  dismiss(number: number): void {
    this.notices = this.notices.filter((notice) => notice.number !== number);
  }

  #took({ alerts, problems, trouble }: Answer): void {
    const fresh = alerts.filter(({ number }) => number > this.#seen);
    this.problems = problems;
    this.trouble = trouble;
    if (fresh.length === 0) return;
    this.#seen = fresh.at(-1)!.number;
    this.alerts = alerts;
    let notices = [...this.notices];
    for (const message of fresh) {
      // What is over needs no notice any more.
      notices = notices.filter(({ id }) => id !== message.id);
      if (message.state === 'firing' && !this.#isQuiet(message)) notices.push(message);
    }
    this.notices = notices.slice(-MOST_NOTICES);
  }
}
