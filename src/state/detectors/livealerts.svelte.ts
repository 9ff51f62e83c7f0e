import { Latest } from '../../base/latest';
import type { Lifetime } from '../../base/lifetime';
import { texts } from '../../base/texts';
import { visibleLine } from '../../base/visible';
import { engineError, type Client, type EngineError } from '../../ipc/client';
import type {
  DetectorProblem,
  LiveAlert,
  LiveAlerts as Answer,
  WatchedSets,
  WireError,
} from '../../ipc/generated';
import { SEVERITIES } from './detectors.svelte';

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

  /** What is evaluated besides the detectors of the case; null until it is known. */
  sets = $state.raw<WatchedSets | null>(null);
  failure = $state.raw<EngineError | null>(null);

  readonly #client: Client;
  readonly #casePath: string;
  readonly #watched: Latest<WatchedSets>;
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
    this.#watched = new Latest(lifetime);
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

  /** Asks which sets are evaluated, while the tab is on the screen. */
  loadSets(): void {
    this.#change(null);
  }

  /** Evaluates the detectors that come with the program, or does not any more. */
  watchStarter(starter: boolean): void {
    if (this.sets !== null) this.#change({ ...this.sets, starter });
  }

  isWatched(paths: readonly string[]): boolean {
    return this.sets !== null && paths.every((path) => this.sets!.rules.includes(path));
  }

  /** Evaluates files and folders of rules, or does not any more. */
  watchRules(paths: readonly string[], isWatched: boolean): void {
    if (this.sets === null) return;
    const others = this.sets.rules.filter((path) => !paths.includes(path));
    this.#change({ ...this.sets, rules: isWatched ? [...others, ...paths] : others });
  }

  #change(sets: WatchedSets | null): void {
    this.#watched.replace({
      key: JSON.stringify(sets),
      load: (signal) => this.#client.call('watchSets', { case: this.#casePath, sets }, { signal }),
      done: (found) => {
        this.sets = found;
        this.failure = null;
      },
      failed: (cause) => {
        const error = engineError(cause);
        if (error.code !== 'cancelled') this.failure = error;
      },
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
    this.#call(notices.filter((notice) => fresh.includes(notice)));
  }

  /** Tells whoever looks elsewhere, once for all that came. */
  #call(notices: readonly LiveAlert[]): void {
    const rank = ({ alert }: LiveAlert) => SEVERITIES.indexOf(alert.severity);
    const [worst, ...others] = notices.toSorted((a, b) => rank(a) - rank(b));
    if (worst === undefined) return;
    const { title, severity, group } = worst.alert;
    const { called } = texts.detectors.live;
    const values = group.map(([, value]) => visibleLine(value)).join(', ');
    const text = called(texts.detectors.severities[severity], values, others.length);
    this.#client.callBack(visibleLine(title), text);
  }
}
