import { sameRange, type RangeChoice } from './ranges';
import { START, type FollowUp, type ViewState } from './viewstate';
import { sameView, textOfView } from './viewtext';

/** Steps kept; nobody goes back further. */
const MOST_STEPS = 500;

/** Small changes that follow one another within this time, such as typing, are one step. */
const ONE_STEP_MS = 3_000;

/** The content of a step: the view, and the ranges of zooming out and in. */
interface ViewStep {
  readonly state: ViewState;
  /** Its place among the steps of the page, which the page's own history has too. */
  readonly at: number;
  readonly outer: readonly RangeChoice[];
  readonly inner: readonly RangeChoice[];
}

/** A change outside the view that can be undone, such as a note. */
export interface UndoableChange {
  undo(): void;
  redo(): void;
}

type HistoryEntry = ViewStep | UndoableChange;

const isDeed = (entry: HistoryEntry): entry is UndoableChange => 'undo' in entry;
const isView = (entry: HistoryEntry): entry is ViewStep => !isDeed(entry);

function takeLastView(entries: HistoryEntry[]): ViewStep | null {
  const last = entries.findLastIndex(isView);
  const [step] = last < 0 ? [] : (entries.splice(last, 1) as ViewStep[]);
  return step ?? null;
}

type Changed = (after: ViewState, before: ViewState) => void;

/** Called after each change of the view, with whether it is a step that replaces those undone. */
export type StepFollower = (isNew: boolean) => void;

/**
 * The view, and every step that led to it. This is the only history of the screen: components store
 * choices in the view through `change`, and changes of the case are reported through `did`. Undo takes
 * back both; back and forward walk through the views alone.
 */
export class ViewHistory {
  current = $state.raw<ViewState>(START);
  canUndo = $state(false);
  canRedo = $state(false);
  canGoBack = $state(false);
  canGoForward = $state(false);
  /** The ranges to zoom out to, and those that were left by zooming out. */
  canZoomOut = $state(false);
  canZoomIn = $state(false);

  #step: ViewStep;
  #past: HistoryEntry[] = [];
  #future: HistoryEntry[] = [];
  /** The kind and time of the small changes in the last step; null if it is finished. */
  #open: { readonly kind: string; readonly at: number } | null = null;
  #follower: StepFollower = () => {};
  readonly #changed: Changed;
  readonly #now: () => number;

  constructor(changed: Changed = () => {}, start = START, now = () => performance.now()) {
    this.#changed = changed;
    this.#now = now;
    this.#step = { state: start, at: 0, outer: [], inner: [] };
    this.current = start;
  }

  /** The place of the current step. */
  get at(): number {
    return this.#step.at;
  }

  /** Reports every change to the address of the page; the current step gets its place there. */
  followedBy(follower: StepFollower, at: number): void {
    this.#follower = follower;
    this.#step = { ...this.#step, at };
  }

  /**
   * Changes a part of the view, as one step. Changes of the same `kind` in quick succession, such
   * as typing, are merged. A change without effect is no step.
   */
  change(part: Partial<ViewState>, kind: string | null = null): void {
    const state = { ...this.current, ...part };
    if (sameView(state, this.current)) return;
    // Of merged changes, only the range before all of them can be zoomed out to.
    const last = this.#goesOn(kind) ? this.#past.at(-1) : undefined;
    const start = last === undefined || isDeed(last) ? this.#step : last;
    const { outer, inner } = start;
    const before = start.state.range;
    const isSame = sameRange(state.range, before);
    const ranges = isSame
      ? { outer, inner }
      : { outer: [...outer, before].slice(-MOST_STEPS), inner: [] };
    this.#take({ state, ...ranges }, kind);
  }

  /** Moves the range of the last step along with the clock; that is no step. */
  slide(range: RangeChoice): void {
    const state = { ...this.current, range };
    this.#step = { ...this.#step, state };
    this.current = state;
  }

  /** A change outside the view: a step of its own. */
  did(deed: UndoableChange): void {
    this.#past = [...this.#past, deed].slice(-MOST_STEPS);
    this.#future = [];
    this.#open = null;
    this.#tell();
  }

  /** The next change is a step of its own. */
  finishStep(): void {
    this.#open = null;
  }

  undo(): boolean {
    return this.#move(this.#past, this.#future, 'undo');
  }

  redo(): boolean {
    return this.#move(this.#future, this.#past, 'redo');
  }

  /** Shows the view before this one. Changes outside the view stay as they are. */
  back(): boolean {
    return this.#walk(this.#past.findLast(isView));
  }

  forward(): boolean {
    return this.#walk(this.#future.findLast(isView));
  }

  /** Walks to the step of a place. One that is not kept, as after a reload, is made from its view. */
  goTo(at: number, view: ViewState): void {
    if (at === this.at) {
      if (!sameView(view, this.current)) this.#show({ ...this.#step, state: view });
      return;
    }
    this.#open = null;
    const [from, to] = at < this.at ? [this.#past, this.#future] : [this.#future, this.#past];
    const isKept = from.some((entry) => isView(entry) && entry.at === at);
    let step = this.#step;
    do {
      to.push(step);
      step = (isKept ? takeLastView(from) : null) ?? { state: view, at, outer: [], inner: [] };
    } while (step.at !== at);
    this.#show(step);
  }

  /** Restores the previous time range, keeping all else: a step that can itself be undone. */
  zoomOut(): boolean {
    const { outer, inner } = this.#step;
    const range = outer.at(-1);
    if (range === undefined) return false;
    const state = { ...this.current, range };
    this.#take({ state, outer: outer.slice(0, -1), inner: [this.current.range, ...inner] }, null);
    return true;
  }

  /** Restores the time range that `zoomOut` left. */
  zoomIn(): boolean {
    const { outer, inner } = this.#step;
    const range = inner[0];
    if (range === undefined) return false;
    const state = { ...this.current, range };
    this.#take({ state, outer: [...outer, this.current.range], inner: inner.slice(1) }, null);
    return true;
  }

  /** Opens a follow-up tab, or selects it if it is open. */
  openFollowUp(followUp: FollowUp): void {
    const others = this.current.followUps.filter(({ id }) => id !== followUp.id);
    const isOpen = others.length < this.current.followUps.length;
    const followUps = isOpen ? this.current.followUps : [...others, followUp];
    this.change({ followUps, tab: followUp.id });
  }

  closeFollowUp(id: string): void {
    const at = this.current.followUps.findIndex((each) => each.id === id);
    if (at < 0) return;
    const followUps = this.current.followUps.filter((each) => each.id !== id);
    const nextTo = followUps[Math.max(0, at - 1)]?.id ?? START.tab;
    this.change({ followUps, tab: this.current.tab === id ? nextTo : this.current.tab });
  }

  /** The view as one string, for sharing and storage. */
  get text(): string {
    return textOfView(this.current);
  }

  #goesOn(kind: string | null): boolean {
    if (kind === null || this.#open?.kind !== kind) return false;
    return this.#now() - this.#open.at <= ONE_STEP_MS;
  }

  #take(step: Omit<ViewStep, 'at'>, kind: string | null): void {
    const isNew = !this.#goesOn(kind);
    if (isNew) this.#past = [...this.#past, this.#step].slice(-MOST_STEPS);
    this.#future = [];
    this.#open = kind === null ? null : { kind, at: this.#now() };
    this.#show({ ...step, at: this.at + (isNew ? 1 : 0) }, isNew);
  }

  #walk(step: ViewStep | undefined): boolean {
    if (step !== undefined) this.goTo(step.at, step.state);
    return step !== undefined;
  }

  #move(from: HistoryEntry[], to: HistoryEntry[], way: 'undo' | 'redo'): boolean {
    const entry = from.pop();
    if (entry === undefined) return false;
    this.#open = null;
    if (isDeed(entry)) {
      to.push(entry);
      this.#tell();
      entry[way]();
    } else {
      to.push(this.#step);
      this.#show(entry);
    }
    return true;
  }

  #show(step: ViewStep, isNew = false): void {
    const before = this.current;
    this.#step = step;
    this.current = step.state;
    this.#tell();
    this.#follower(isNew);
    this.#changed(step.state, before);
  }

  #tell(): void {
    this.canUndo = this.#past.length > 0;
    this.canRedo = this.#future.length > 0;
    this.canGoBack = this.#past.some(isView);
    this.canGoForward = this.#future.some(isView);
    this.canZoomOut = this.#step.outer.length > 0;
    this.canZoomIn = this.#step.inner.length > 0;
  }
}
