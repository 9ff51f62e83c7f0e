import { sameRange, type RangeChoice } from './ranges';
import { START, type FollowUp, type ViewState } from './viewstate';
import { sameView, textOfView, viewOfText } from './viewtext';

/** Steps kept; a person who takes more has no use for the first of them. */
const MOST_STEPS = 500;

/** Small changes that follow one another this soon, such as typing, are one step. */
const ONE_STEP_MS = 3_000;

/** What a step brings back: the view, and where the time range came from and went to. */
interface Step {
  readonly state: ViewState;
  readonly outer: readonly RangeChoice[];
  readonly inner: readonly RangeChoice[];
}

/** Something that was done beside the view and can be taken back, such as a note that was written. */
export interface UndoableChange {
  undo(): void;
  redo(): void;
}

type Entry = Step | UndoableChange;

const isDeed = (entry: Entry): entry is UndoableChange => 'undo' in entry;

type Changed = (after: ViewState, before: ViewState) => void;

/**
 * What is shown, and every step that led there. This is the only history of the screen: whoever has a
 * choice worth keeping puts it into the view through `change`, and what is written into the case is told
 * through `did`.
 */
export class ViewHistory {
  current = $state.raw<ViewState>(START);
  canUndo = $state(false);
  canRedo = $state(false);
  /** Whether the time range was narrowed, and whether that was taken back. */
  canZoomOut = $state(false);
  canZoomIn = $state(false);

  #step: Step;
  #past: Entry[] = [];
  #future: Entry[] = [];
  /** What kind of small changes made the last step, and when; null when it is finished. */
  #open: { readonly kind: string; readonly at: number } | null = null;
  readonly #changed: Changed;
  readonly #now: () => number;

  constructor(changed: Changed = () => {}, start = START, now = () => performance.now()) {
    this.#changed = changed;
    this.#now = now;
    this.#step = { state: start, outer: [], inner: [] };
    this.current = start;
  }

  /**
   * Changes a part of the view, as one step. Changes of the same `kind` soon after one another, such
   * as those of typing, are taken together. What changes nothing is no step.
   */
  change(part: Partial<ViewState>, kind: string | null = null): void {
    const state = { ...this.current, ...part };
    if (sameView(state, this.current)) return;
    // Of changes that are taken together, only the range before all of them is worth going back to.
    const last = this.#goesOn(kind) ? this.#past.at(-1) : undefined;
    const start = last === undefined || isDeed(last) ? this.#step : last;
    const { outer, inner } = start;
    const before = start.state.range;
    this.#take(
      sameRange(state.range, before)
        ? { state, outer, inner }
        : { state, outer: [...outer, before].slice(-MOST_STEPS), inner: [] },
      kind,
    );
  }

  /** Something was done that leaves the view as it is: a step of its own. */
  did(deed: UndoableChange): void {
    this.#past = [...this.#past, deed].slice(-MOST_STEPS);
    this.#future = [];
    this.#open = null;
    this.#tell();
  }

  /** The next change is a step of its own, whatever came before. */
  finishStep(): void {
    this.#open = null;
  }

  undo(): boolean {
    return this.#move(this.#past, this.#future, 'undo');
  }

  redo(): boolean {
    return this.#move(this.#future, this.#past, 'redo');
  }

  /** To the time range before this one, leaving all else: a step that can itself be undone. */
  zoomOut(): boolean {
    const { outer, inner } = this.#step;
    const range = outer.at(-1);
    if (range === undefined) return false;
    const state = { ...this.current, range };
    this.#take({ state, outer: outer.slice(0, -1), inner: [this.current.range, ...inner] }, null);
    return true;
  }

  /** To the time range that was left by `zoomOut`. */
  zoomIn(): boolean {
    const { outer, inner } = this.#step;
    const range = inner[0];
    if (range === undefined) return false;
    const state = { ...this.current, range };
    this.#take({ state, outer: [...outer, this.current.range], inner: inner.slice(1) }, null);
    return true;
  }

  /** Opens a tab for something that was found, or goes to the one that is open for it. */
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

  /** The view as one string, to be shared or kept. */
  get text(): string {
    return textOfView(this.current);
  }

  /** Shows a view from its string, as one step. False for a text that is no view. */
  fromText(text: string): boolean {
    const state = viewOfText(text);
    if (state === null) return false;
    this.change(state);
    return true;
  }

  #goesOn(kind: string | null): boolean {
    if (kind === null || this.#open?.kind !== kind) return false;
    return this.#now() - this.#open.at <= ONE_STEP_MS;
  }

  #take(step: Step, kind: string | null): void {
    if (!this.#goesOn(kind)) this.#past = [...this.#past, this.#step].slice(-MOST_STEPS);
    this.#future = [];
    this.#open = kind === null ? null : { kind, at: this.#now() };
    this.#show(step);
  }

  #move(from: Entry[], to: Entry[], way: 'undo' | 'redo'): boolean {
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

  #show(step: Step): void {
    const before = this.current;
    this.#step = step;
    this.current = step.state;
    this.#tell();
    this.#changed(step.state, before);
  }

  #tell(): void {
    this.canUndo = this.#past.length > 0;
    this.canRedo = this.#future.length > 0;
    this.canZoomOut = this.#step.outer.length > 0;
    this.canZoomIn = this.#step.inner.length > 0;
  }
}
