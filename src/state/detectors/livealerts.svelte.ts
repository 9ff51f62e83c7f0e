import type { Lifetime } from '../../base/lifetime';
import { texts } from '../../base/texts';
import { visibleLine } from '../../base/visible';
import type { Client } from '../../ipc/client';
import type {
  DetectorProblem,
  LiveAlert,
  LiveAlerts as Answer,
  WatchedSets,
  WireError,
} from '../../ipc/generated';
import { Request } from '../request.svelte';
import { SEVERITIES } from './detectors.svelte';

/** Notices on the screen at once, the newest. */
export const MOST_NOTICES = 3;

/** What detectors sent while the case receives, and what of it is worth a notice. */
export class LiveAlerts extends Request<string, Answer> {
  /** Alerts that fire, or came and went, and that nobody put away. */
  notices = $state.raw<readonly LiveAlert[]>([]);

  /** What is evaluated besides the detectors of the case; null until it is known. */
  readonly watched: Request<{ readonly sets: WatchedSets | null }, WatchedSets>;

  readonly #client: Client;
  readonly #casePath: string;
  readonly #came: () => void;
  /** The number of the last message that was looked at. */
  #seen = 0;

  constructor(
    lifetime: Lifetime,
    client: Client,
    casePath: string,
    /** Called when alerts were sent. */
    came: () => void = () => {},
  ) {
    super(lifetime, (path, { signal }) => client.call('liveAlerts', { path }, { signal }), {
      ignoresGrowth: true,
    });
    this.watched = new Request(
      lifetime,
      ({ sets }, { signal }) => client.call('watchSets', { case: casePath, sets }, { signal }),
      { ignoresGrowth: true },
    );
    this.#client = client;
    this.#casePath = casePath;
    this.#came = came;
  }

  /** The newest last. */
  get alerts(): readonly LiveAlert[] {
    return this.value?.alerts ?? [];
  }

  /** Detectors that cannot run. */
  get problems(): readonly DetectorProblem[] {
    return this.value?.problems ?? [];
  }

  /** Why none is evaluated. */
  get trouble(): WireError | null {
    return this.value?.trouble ?? null;
  }

  get sets(): WatchedSets | null {
    return this.watched.value;
  }

  /** Requests what was sent since. */
  look(): void {
    void this.answer(this.#casePath);
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
    void this.watched.answer({ sets });
  }

  dismiss(number: number): void {
    this.notices = this.notices.filter((notice) => notice.number !== number);
  }

  protected override arrived({ alerts }: Answer): void {
    const fresh = alerts.filter(({ number }) => number > this.#seen);
    if (fresh.length === 0) return;
    this.#seen = fresh.at(-1)!.number;
    this.#came();
    let notices = [...this.notices];
    for (const message of fresh) {
      // What is over needs no notice any more.
      notices = notices.filter(({ id }) => id !== message.id);
      if (message.state === 'firing' && !message.quiet) notices.push(message);
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
