import { randomId } from '../../base/ids';
import type { Lifetime } from '../../base/lifetime';
import { Timer } from '../../base/timer';
import { engineError, type Client, type EngineError } from '../../ipc/client';
import type {
  DetectorEntry,
  DetectorList,
  DetectorProblem,
  DetectorRun,
  DetectorRuns,
  EventId,
  EventsReply,
  RuleRuns,
  Severity,
} from '../../ipc/generated';
import { Request } from '../request.svelte';
import { noteKey } from '../notes/notechange';
import type { Notes } from '../notes/notes.svelte';
import type { UndoableChange } from '../view/history.svelte';
import { BackTest, type Subject } from './backtest.svelte';
import { RuleReading } from './rulereading.svelte';
import { draftKey, withoutDraft, withoutStored, withText, type Draft, type Drafts } from './drafts';
import { spansOf, truthNotes, type TruthChoice } from './truth';

/** The kind of notes that are detectors. */
export const DETECTOR = 'detector';
/** The id of such a note is the name of a detector whose alerts are not shown. */
export const MUTED = 'mute';

/** A case that grows is evaluated again when it has not grown for so long. */
const SETTLED_MS = 2_000;
/** The most serious first. */
export const SEVERITIES: readonly Severity[] = [
  'critical',
  'high',
  'medium',
  'low',
  'informational',
];
/** Two detectors of a case may have one name. */
export const runKey = ({ file, name }: { file: string; name: string }) => `${file} ${name}`;

const subjectOf = ({ own, file, name, text }: DetectorEntry): Subject => ({
  id: own ? file : null,
  name,
  text,
  isStored: true,
  suggest: null,
});

/** The detectors of a case, what they found, and the one that is tried. */
export class Detectors {
  list = $state.raw<readonly DetectorEntry[]>([]);
  /** What is wrong with stored detectors. */
  problems = $state.raw<readonly DetectorProblem[]>([]);
  known = $state(false);
  runs = $state.raw<ReadonlyMap<string, DetectorRun>>(new Map());
  /** Whether the case has grown since the last run. */
  isStale = $state(false);
  /** The files and folders of the rules. */
  rulePaths = $state.raw<readonly string[]>([]);
  truth = $state.raw<TruthChoice | null>(null);
  /** Why a change could not be stored: somebody else changed it. */
  conflict = $state(false);
  readonly test: BackTest;
  /** How the result of the rules is read. */
  readonly reading: RuleReading;
  /** Unsaved texts, also of detectors that are not on the screen. */
  #drafts = $state.raw<Drafts>(new Map());

  readonly #client: Client;
  readonly #lifetime: Lifetime;
  readonly #notes: Notes;
  readonly #did: (change: UndoableChange) => void;
  /** The list for the stored detectors that the question names. */
  readonly #listing: Request<string, DetectorList>;
  readonly #running: Request<string, DetectorRuns>;
  readonly #ruling: Request<readonly string[], RuleRuns>;
  readonly #truths: Request<readonly EventId[], EventsReply>;
  #progress = $state.raw({ done: 0, total: 0 });
  /** Why no rules could be chosen. */
  #unchosen = $state.raw<EngineError | null>(null);
  readonly #settling: Timer;
  /** The stored detectors that the list is for. */
  #listed: string | null = null;
  #ran: string | null = null;
  /** The notes that the truth was taken from. */
  #compared = '';
  /** The filters that the rules were run with. */
  #filtered = '';
  #isWatched = false;

  constructor(
    lifetime: Lifetime,
    client: Client,
    casePath: string,
    notes: Notes,
    /** Called with a change that can be undone. */
    did: (change: UndoableChange) => void = () => {},
    /** Called when a detector or rules have run. */
    private readonly ran: () => void = () => {},
  ) {
    this.#client = client;
    this.#did = did;
    this.#lifetime = lifetime;
    this.#notes = notes;
    // A run reads all events: it is made again when the case has stopped growing.
    const options = { ignoresGrowth: true };
    this.#listing = new Request(
      lifetime,
      (_, { signal }) => client.call('detectors', { path: casePath }, { signal }),
      options,
    );
    this.#running = new Request(
      lifetime,
      (_, { signal }) => {
        const progress = (run: DetectorRun) => !signal.aborted && this.#came(run);
        return client.call('runDetectors', { case: casePath }, { signal, progress });
      },
      options,
    );
    this.#ruling = new Request(
      lifetime,
      (paths, { signal }) =>
        client.call('runRules', { case: casePath, paths: [...paths] }, { signal }),
      options,
    );
    this.#truths = new Request(
      lifetime,
      (ids, { signal }) => client.call('events', { case: casePath, ids: [...ids] }, { signal }),
      options,
    );
    this.#settling = new Timer(lifetime);
    this.test = new BackTest(lifetime, client, casePath);
    this.reading = new RuleReading(lifetime, client, casePath, notes);
    lifetime.onGrowth(() => this.#grew());
  }

  /** How far the run is; null while none is under way. */
  get progress(): { readonly done: number; readonly total: number } | null {
    return this.#running.busy ? this.#progress : null;
  }

  get rules(): RuleRuns | null {
    return this.#ruling.value;
  }

  get ruling(): boolean {
    return this.#ruling.busy;
  }

  get failure(): EngineError | null {
    const requests = [this.#listing, this.#running, this.#ruling, this.#truths];
    return (
      this.#unchosen ??
      this.reading.failure ??
      requests.map(({ error }) => error).find((error) => error !== null) ??
      null
    );
  }

  /** Loads and runs while the tab is on the screen. */
  watch(): () => void {
    this.#isWatched = true;
    this.#load();
    if (this.isStale) this.test.refresh();
    return () => {
      this.#isWatched = false;
      this.#settling.stop();
    };
  }

  #grew(): void {
    this.isStale = this.#ran !== null || this.rules !== null;
    if (this.#isWatched && this.isStale) this.#settling.start(() => this.runAgain(), SETTLED_MS);
  }

  /** Notes were written, here or in another window. */
  notesChanged(): void {
    if (this.#isWatched && this.#stored() !== this.#listed) this.#load();
    this.#follow();
    // A filter was added or removed, here or in another window.
    if (this.rulePaths.length > 0 && this.#filtered !== this.reading.filterState)
      this.runRules(this.rulePaths);
    if (this.truth !== null && this.#marked(this.truth) !== this.#compared)
      this.compareWith(this.truth);
  }

  /** The stored text was changed by undo or in another window; what was typed here stays. */
  #follow(): void {
    const storedOf = (id: string) => this.#notes.all.get(noteKey(DETECTOR, id));
    this.#drafts = withoutStored(this.#drafts, (id) => storedOf(id) !== undefined);
    const { subject, isChanged } = this.test;
    if (subject === null || subject.id === null) return;
    const stored = storedOf(subject.id);
    if (stored === undefined) {
      this.test.removed();
      this.#keep();
    } else if (stored.text !== subject.text && !isChanged)
      this.test.open({ ...subject, text: stored.text });
  }

  isMuted(name: string): boolean {
    return this.#notes.all.has(noteKey(MUTED, name));
  }

  mute(name: string, isMuted: boolean): Promise<boolean> {
    return isMuted
      ? this.#notes.change([{ kind: MUTED, id: name, text: name }])
      : this.#notes.change([], [{ kind: MUTED, id: name }]);
  }

  /** New detectors that are not saved, the oldest first. */
  get unsaved(): readonly Draft[] {
    return [...this.#drafts.values()].filter(({ subject }) => !subject.isStored);
  }

  /** Names that a new detector must not have. */
  get names(): readonly string[] {
    return [
      ...this.list.map(({ name }) => name),
      ...this.unsaved.map(({ subject }) => subject.name),
    ];
  }

  /** Whether a detector of the list has a text that is not saved. */
  isUnsaved(entry: DetectorEntry): boolean {
    if (this.isSelected(entry)) return this.test.isChanged;
    return this.#drafts.has(draftKey(subjectOf(entry)));
  }

  /** Tries a detector of the list, as it was left. */
  select(entry: DetectorEntry): void {
    this.#open(subjectOf(entry));
  }

  /** Goes back to one that is not saved. */
  resume({ subject }: Draft): void {
    this.#open(subject);
  }

  /** Shows none. */
  close(): void {
    this.#keep();
    this.test.close();
  }

  #open(subject: Subject): void {
    this.#keep();
    this.conflict = false;
    this.test.open(subject, this.#drafts.get(draftKey(subject))?.text);
  }

  /** Keeps the unsaved text of the tried one. */
  #keep(): void {
    const { subject, text } = this.test;
    if (subject !== null) this.#drafts = withText(this.#drafts, subject, text);
  }

  /** Throws away the unsaved text of the tried one; undo brings it back. */
  discard(): void {
    const { subject, text, isChanged } = this.test;
    if (subject === null || !isChanged) return;
    const isTried = () => {
      const tried = this.test.subject;
      return tried !== null && draftKey(tried) === draftKey(subject);
    };
    const turnTo = (kept: string | null) => {
      this.#drafts =
        kept === null ? withoutDraft(this.#drafts, subject) : withText(this.#drafts, subject, kept);
      if (isTried()) {
        if (kept !== null || subject.isStored) this.test.type(kept ?? subject.text);
        else this.test.close();
      } else if (kept !== null) this.#open(subject);
    };
    turnTo(null);
    this.#did({ undo: () => turnTo(text), redo: () => turnTo(null) });
  }

  /** Tries the one that an alert is of, when the list is known. */
  selectNamed(name: string): void {
    const entry = this.list.find((each) => each.name === name);
    // A rule of a folder is in the list of rules.
    if (entry === undefined) {
      this.close();
      this.reading.show(name);
    } else if (!this.isSelected(entry)) this.select(entry);
  }

  /** Tries a new one. */
  begin(subject: Pick<Subject, 'name' | 'text' | 'suggest'>): void {
    this.#open({ id: null, isStored: false, ...subject });
    this.#keep();
  }

  /** Whether the tried one is that of a list entry. */
  isSelected({ own, file, name }: DetectorEntry): boolean {
    const { subject, entry } = this.test;
    if (subject === null) return false;
    const isSame = own ? subject.id === file : subject.id === null && subject.isStored;
    return isSame && name === (entry?.name ?? subject.name);
  }

  /** Stores the tried one in the case. False if it is not valid, or if somebody else changed it since. */
  async save(): Promise<boolean> {
    const { subject, text, isValid } = this.test;
    if (subject === null || !isValid) return false;
    const id = subject.id ?? randomId();
    const stored = () => this.#notes.all.get(noteKey(DETECTOR, id));
    const known = stored();
    // A text that was not the stored one when it was opened was changed elsewhere.
    const isSame = known === undefined || known.text === subject.text;
    const isSaved =
      isSame &&
      (await this.#notes.change([{ kind: DETECTOR, id, text, known: known?.revision ?? 0 }]));
    this.conflict = !isSaved && this.#notes.failure === null;
    if (this.conflict) this.test.rebase(stored()?.text ?? subject.text);
    if (isSaved) {
      this.#drafts = withoutDraft(this.#drafts, subject);
      this.test.stored(id, text);
    }
    return isSaved;
  }

  async remove(id: string): Promise<void> {
    if (!(await this.#notes.change([], [{ kind: DETECTOR, id }]))) return;
    if (this.test.subject !== null) this.#drafts = withoutDraft(this.#drafts, this.test.subject);
    this.test.close();
  }

  /** Runs everything again that the case has grown under. */
  runAgain(): void {
    this.#settling.stop();
    if (this.rules !== null) this.runRules(this.rulePaths);
    this.test.refresh();
    this.run();
  }

  /** Runs all detectors over the history. */
  run(): void {
    const key = this.#state;
    this.#progress = { done: 0, total: this.list.length };
    void this.#running.answer(key).then((found) => {
      if (found === null) return;
      this.#ran = key;
      this.isStale = false;
      this.runs = new Map(found.runs.map((run) => [runKey(run), run]));
      this.ran();
    });
  }

  /** The state of the case and of its detectors, which a run is of. */
  get #state(): string {
    return `${this.#lifetime.epoch} ${this.#stored()}`;
  }

  stop(): void {
    this.#running.stop();
    this.#ruling.stop();
  }

  /** Lets a person choose rules, and runs them. */
  async chooseRules(kind: 'files' | 'folder'): Promise<void> {
    this.#unchosen = null;
    try {
      const paths = await this.#client.choose(kind);
      if (paths.length > 0) this.runRules(paths);
    } catch (cause) {
      this.#unchosen = engineError(cause);
    }
  }

  runRules(paths: readonly string[]): void {
    this.rulePaths = paths;
    this.#filtered = this.reading.filterState;
    void this.#ruling.answer(paths).then((found) => {
      if (found === null) return;
      this.reading.ran(found, paths);
      this.ran();
    });
  }

  /** Chooses the notes that are the truth; the times of events are looked up. */
  compareWith(choice: TruthChoice | null): void {
    this.truth = choice;
    this.#compared = choice === null ? '' : this.#marked(choice);
    this.#truths.stop();
    if (choice === null) return this.test.compare([]);
    const notes = truthNotes([...this.#notes.all.values()], choice);
    const ids = notes.flatMap(({ event }) => (event === null ? [] : [event]));
    const spans = spansOf(notes);
    if (ids.length === 0) return this.test.compare(spans);
    void this.#truths.answer(ids).then((found) => {
      if (found === null) return;
      const times = found.events.flatMap(({ row }) => (row.time === null ? [] : [row.time]));
      this.test.compare([...spans, ...times.map((time) => ({ from: time, to: time }))]);
    });
  }

  retry(): void {
    this.#unchosen = null;
    this.reading.retry();
    if (this.#ruling.error !== null) this.runRules(this.rulePaths);
    if (this.#truths.error !== null) this.compareWith(this.truth);
    this.#load();
  }

  #stored(): string {
    const notes = this.#notes.ofKind(DETECTOR);
    return notes.map(({ id, revision }) => `${id}:${revision}`).join(' ');
  }

  /** The notes of a choice, as they are now. */
  #marked(choice: TruthChoice): string {
    const notes = truthNotes([...this.#notes.all.values()], choice);
    return notes.map(({ id, revision }) => `${id}:${revision}`).join(' ');
  }

  #load(): void {
    const stored = this.#stored();
    void this.#listing.answer(stored).then((found) => {
      if (found === null) return;
      this.#listed = stored;
      this.list = found.detectors;
      this.problems = found.problems;
      this.known = true;
      if (this.#ran !== this.#state) this.run();
    });
  }

  #came(run: DetectorRun): void {
    this.#progress = { done: run.done, total: run.total };
    this.runs = new Map(this.runs).set(runKey(run), run);
    this.ran();
  }
}
