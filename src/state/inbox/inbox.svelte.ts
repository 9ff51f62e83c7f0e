import { Coalesced } from '../../base/coalesce';
import { randomId } from '../../base/ids';
import type { Lifetime } from '../../base/lifetime';
import { timeFromNanos } from '../../base/time';
import { Timer } from '../../base/timer';
import { engineError, type Client, type EngineError } from '../../ipc/client';
import type {
  AlertChoice,
  AlertFilter,
  AlertFlag,
  InboxGroup,
  AlertGrouping,
  AlertKey,
  AlertsRequest,
  AlertSort,
  CloseReason,
  InboxAlert,
  InboxFlags,
  InboxFormat,
  InboxLine,
  Nanos,
  SeenAlert,
  TriageVerb,
} from '../../ipc/generated';
import { Request } from '../request.svelte';
import type { UndoableChange } from '../view/history.svelte';
import {
  allOf,
  alertsOf,
  choiceOf,
  filterOfGroup,
  moved,
  NONE,
  OPEN,
  pickToggled,
  seenAlert,
  type Picked,
  type ShownPage,
} from './inboxview';

/** Lines that are asked for at once, and in which steps. */
const PART = 400;
const STEP = 100;

/** Runs and windows report faster than a list needs to follow. */
const REFRESH_MS = 500;
/** Timers of browsers wait no longer. */
const LONGEST_MS = 2 ** 31 - 1;

/** The rest of a decision. */
export interface DecisionOptions {
  readonly reason?: CloseReason;
  readonly untilMs?: number;
  readonly text?: string;
}

/** The alerts of a case in one list, and the decisions about them. */
export class Inbox {
  filter = $state.raw<AlertFilter>(OPEN);
  sort = $state<AlertSort>('time');
  descending = $state(true);
  grouping = $state<AlertGrouping>('none');
  unfolded = $state.raw<readonly string[]>([]);
  picked = $state.raw<Picked>(NONE);
  /** The selected line; -1 for none. */
  at = $state(-1);
  /** The alert whose details are shown. */
  selected = $state<AlertKey | null>(null);
  /** Why the last decision or its undo was not written. */
  failure = $state.raw<EngineError | null>(null);

  readonly #client: Client;
  readonly #casePath: string;
  readonly #did: (change: UndoableChange) => void;
  readonly #list: Request<AlertsRequest, ShownPage>;
  readonly #flags: Request<string, InboxFlags>;
  readonly #refresh: Coalesced;
  readonly #waking: Timer;
  #first = $state(0);
  #isShown = false;
  /** A decision was written since the list was answered. */
  #goesOn = false;
  #turn: Promise<void> = Promise.resolve();

  constructor(
    lifetime: Lifetime,
    client: Client,
    casePath: string,
    /** The zone in which hours and days begin. */
    private readonly zone: () => string | null,
    /** Called with a decision that can be undone. */
    did: (change: UndoableChange) => void = () => {},
  ) {
    this.#client = client;
    this.#casePath = casePath;
    this.#did = did;
    const options = { ignoresGrowth: true };
    this.#list = new Request(
      lifetime,
      async (asked, { signal }) => ({ ...(await client.call('alerts', asked, { signal })), asked }),
      options,
    );
    this.#flags = new Request(
      lifetime,
      (path, { signal }) => client.call('alertFlags', { path }, { signal }),
      options,
    );
    this.#refresh = new Coalesced(lifetime, () => this.refresh(), REFRESH_MS);
    this.#waking = new Timer(lifetime);
  }

  get page(): ShownPage | null {
    return this.#list.value;
  }

  get busy(): boolean {
    return this.#list.busy;
  }

  get isStale(): boolean {
    return this.#list.isStale;
  }

  get error(): EngineError | null {
    return this.#list.error ?? this.#flags.error;
  }

  /** How many alerts have which state; null until it is known. */
  get counts(): InboxFlags['counts'] | null {
    return this.#flags.value?.counts ?? null;
  }

  /** New alerts that are not muted, for the timeline. */
  get flags(): readonly AlertFlag[] {
    return this.#flags.value?.flags ?? [];
  }

  /** The lines of the list, as far as they are loaded. */
  line(at: number): InboxLine | undefined {
    const { page } = this;
    return page === null ? undefined : page.lines[at - page.first];
  }

  /** The alert whose details are shown. */
  get detail(): InboxAlert | null {
    const found = this.page?.selected ?? null;
    return found?.key === this.selected ? found : null;
  }

  /** Asks while the list is on the screen. */
  watch(): () => void {
    this.#isShown = true;
    this.refresh();
    return () => {
      this.#isShown = false;
    };
  }

  /** Something has changed that the list may show: soon it is asked for again. */
  changed(): void {
    this.#refresh.request();
  }

  refresh(): void {
    void this.#flags.answer(this.#casePath).then((found) => {
      if (found !== null) this.#wake(found.wakes);
    });
    if (this.#isShown) void this.#list.answer(this.#asked).then((page) => this.#follow(page));
  }

  /**
   * The selected alert may be on another line now. If it left the list by a decision of this page, the line that took its
   * place is selected; if another window decided, its details stay.
   */
  #follow(page: ShownPage | null): void {
    if (page === null || this.selected === null) return;
    // The answer has its present key, if the alert moved.
    this.selected = page.selected?.key ?? this.selected;
    if (this.line(this.at)?.group) return;
    const found = page.lines.findIndex(({ alert }) => alert?.key === this.selected);
    const last = page.first + page.lines.length - 1;
    if (found >= 0) this.at = page.first + found;
    else if (!this.#goesOn || this.at < 0) this.at = -1;
    else this.select(Math.min(this.at, last));
    this.#goesOn = false;
  }

  retry(): void {
    this.failure = null;
    this.refresh();
  }

  /** The mute of an alert is over then. */
  #wake(wakes: Nanos | null): void {
    if (wakes === null) return this.#waking.stop();
    const atMs = Number(timeFromNanos(wakes) / 1_000_000n) + 1;
    const waitMs = Math.min(Math.max(atMs - Date.now(), 0), LONGEST_MS);
    this.#waking.start(() => this.refresh(), waitMs);
  }

  get #asked(): AlertsRequest {
    return {
      case: this.#casePath,
      filter: this.filter,
      sort: this.sort,
      descending: this.descending,
      grouping: this.grouping,
      unfolded: [...this.unfolded],
      zone: this.zone(),
      first: this.#first,
      count: PART,
      selected: this.selected,
    };
  }

  #ask(): void {
    if (this.#isShown) this.#list.ask(this.#asked);
  }

  /** These lines are on the screen. */
  see(firstRow: number, lastRow: number): void {
    const middle = (firstRow + lastRow) / 2 - PART / 2;
    const first = Math.max(0, Math.round(middle / STEP) * STEP);
    const held = this.#first;
    const isHeld = firstRow >= held && lastRow < held + PART;
    if (isHeld && Math.abs(first - held) < STEP) return;
    this.#first = first;
    this.#ask();
  }

  /** Shows other alerts. */
  change(filter: Partial<AlertFilter>): void {
    this.filter = { ...this.filter, ...filter };
    this.#toTop();
  }

  /** Sorts by a column; again the other way round. */
  sortBy(sort: AlertSort): void {
    const isSame = this.sort === sort;
    this.descending = isSame ? !this.descending : sort !== 'title' && sort !== 'entity';
    this.sort = sort;
    this.#toTop();
  }

  groupBy(grouping: AlertGrouping): void {
    this.grouping = grouping;
    this.unfolded = [];
    this.#toTop();
  }

  #toTop(): void {
    this.picked = NONE;
    this.at = -1;
    this.#first = 0;
    this.#ask();
  }

  fold(group: InboxGroup): void {
    this.unfolded = group.unfolded
      ? this.unfolded.filter((key) => key !== group.key)
      : [...this.unfolded, group.key];
    this.#ask();
  }

  /** Selects a line; an alert shows its details. */
  select(at: number): void {
    this.at = at;
    const alert = this.line(at)?.alert ?? null;
    if (alert !== null) this.show(alert.key);
  }

  /** Shows the details of an alert, wherever it is in the list. */
  show(key: AlertKey | null): void {
    this.selected = key;
    this.#ask();
  }

  /** Moves the selection, and returns the line where it is then. */
  move(step: number): number {
    const at = moved(this.at, step, this.page?.linesTotal ?? 0);
    if (at >= 0) this.select(at);
    return at;
  }

  /** Extends the picked alerts to the line where the selection moves. */
  extend(step: number): number {
    const from = this.at;
    const at = this.move(step);
    const [low, high] = from < at ? [from, at] : [at, from];
    const lines = Array.from({ length: high - low + 1 }, (_, each) => this.line(low + each));
    const seen = alertsOf(lines).map((one) => [one.key, one] as const);
    this.picked = { keys: new Map([...this.picked.keys, ...seen]), all: false };
    return at;
  }

  pick(alerts: readonly SeenAlert[]): void {
    this.picked = pickToggled(this.picked, alerts);
  }

  pickAll(): void {
    this.picked = { keys: new Map(), all: true };
  }

  unpick(): void {
    this.picked = NONE;
  }

  /** How many alerts a decision is about. */
  get pickedCount(): number {
    return this.picked.all ? (this.page?.matching ?? 0) : this.picked.keys.size;
  }

  /** An alert with the events that are on the screen. */
  #seen(key: AlertKey): SeenAlert {
    const inList = this.page?.lines.find(({ alert }) => alert?.key === key)?.alert;
    const shown = this.detail?.key === key ? this.detail : inList;
    return shown ? seenAlert(shown) : { key, events: null };
  }

  /** The alerts that a decision is about; null if there are none. */
  get choice(): AlertChoice | null {
    // On the heading of a group nothing but its own menu decides.
    const selected = this.line(this.at)?.group ? null : this.selected;
    const seen = selected === null ? null : this.#seen(selected);
    return choiceOf(this.picked, seen, this.page);
  }

  /** The alerts of a group; null where no filter names them, as those without a time. */
  choiceOfGroup(group: InboxGroup): AlertChoice | null {
    // A page of the previous filter may still be shown.
    const { filter, grouping } = this.page?.asked ?? this;
    if (grouping === 'none' || (grouping === 'time' && group.from === null)) return null;
    const { alerts: expected, digest } = group;
    return { matching: { filter: filterOfGroup(filter, grouping, group), expected, digest } };
  }

  /** The same choice with the alerts that it has now, for whoever is asked again; as it is if that is not known. */
  async recounted(choice: AlertChoice): Promise<AlertChoice> {
    if ('keys' in choice) return choice;
    const { filter } = choice.matching;
    const asked = { ...this.#asked, filter, first: 0, count: 0, selected: null };
    try {
      return allOf({ ...(await this.#client.call('alerts', asked)), asked });
    } catch {
      return choice;
    }
  }

  /** Decides about alerts, as a step that can be undone. True if it is written. */
  async decide(
    verb: TriageVerb,
    { reason, untilMs, text = '' }: DecisionOptions = {},
    choice: AlertChoice | null = this.choice,
  ): Promise<boolean> {
    if (choice === null) return false;
    this.#goesOn = true;
    const id = randomId();
    const until = untilMs === undefined ? null : (`${Math.round(untilMs)}000000` as Nanos);
    const isDone = await this.#write(() =>
      this.#client.call('triage', {
        case: this.#casePath,
        id,
        alerts: choice,
        verb,
        reason: reason ?? null,
        until,
        text,
      }),
    );
    if (!isDone) return false;
    this.picked = NONE;
    const turnTo = (undone: boolean) => {
      // Undo can be pressed faster than it is written.
      this.#turn = this.#turn.then(async () => {
        await this.#write(() =>
          this.#client.call('undoTriage', { case: this.#casePath, id, undone }),
        );
      });
    };
    this.#did({ undo: () => turnTo(true), redo: () => turnTo(false) });
    return true;
  }

  async #write(call: () => Promise<unknown>): Promise<boolean> {
    try {
      await call();
      this.failure = null;
      return true;
    } catch (cause) {
      this.failure = engineError(cause);
      return false;
    } finally {
      this.refresh();
    }
  }

  /** Writes the alerts that match to a file that a person chooses. */
  async export(name: string, format: InboxFormat): Promise<void> {
    const request = { case: this.#casePath, filter: this.filter, format };
    await this.#write(() =>
      this.#client.saveWritten(name, (path) =>
        this.#client.call('exportAlerts', { ...request, path }),
      ),
    );
  }
}
