import { randomId } from '../../base/ids';
import { Latest } from '../../base/latest';
import type { Lifetime } from '../../base/lifetime';
import { timeFromNanos, type Time } from '../../base/time';
import { Timer } from '../../base/timer';
import { engineError, type Client, type EngineError } from '../../ipc/client';
import type {
  Alert,
  DetectorEntry,
  DetectorList,
  DetectorProblem,
  DetectorRun,
  DetectorRuns,
  EventsReply,
  RuleRuns,
  Severity,
} from '../../ipc/generated';
import { noteKey } from '../notes/notechange';
import type { Notes } from '../notes/notes.svelte';
import {
  ALERT,
  alertDraft,
  alertId,
  alertState,
  DETECTOR,
  isShown,
  MUTED,
  type AlertState,
} from './alertnotes';
import { BackTest, type Subject } from './backtest.svelte';
import { spansOf, truthKey, truthNotes, type TruthChoice } from './truth';

/** Alerts on the timeline at most, the most serious: more could not be distinguished. */
const MOST_FLAGS = 400;

/** A case that grows is evaluated again when it has not grown for so long. */
const SETTLED_MS = 2_000;
/** Timers of browsers wait no longer. */
const LONGEST_MS = 2 ** 31 - 1;

/** The most serious first. */
export const SEVERITIES: readonly Severity[] = [
  'critical',
  'high',
  'medium',
  'low',
  'informational',
];
const rank = (severity: Severity) => SEVERITIES.indexOf(severity);

/** Two detectors of a case may have one name. */
export const runKey = ({ file, name }: { file: string; name: string }) => `${file} ${name}`;

/** An alert on the timeline. */
export interface AlertFlag {
  readonly id: string;
  readonly alert: Alert;
  readonly from: Time;
  readonly to: Time;
}

/** The detectors of a case, what they found, and the one that is tried. */
export class Detectors {
  list = $state.raw<readonly DetectorEntry[]>([]);
  /** What is wrong with stored detectors. */
  problems = $state.raw<readonly DetectorProblem[]>([]);
  known = $state(false);
  runs = $state.raw<ReadonlyMap<string, DetectorRun>>(new Map());
  /** How far the run is; null while none is under way. */
  progress = $state.raw<{ readonly done: number; readonly total: number } | null>(null);
  /** Whether the case has grown since the last run. */
  isStale = $state(false);
  failure = $state.raw<EngineError | null>(null);
  rules = $state.raw<RuleRuns | null>(null);
  /** The files and folders of the rules. */
  rulePaths = $state.raw<readonly string[]>([]);
  ruling = $state(false);
  truth = $state.raw<TruthChoice | null>(null);
  /** Why a change could not be stored: somebody else changed it. */
  conflict = $state(false);
  readonly test: BackTest;

  /** Alerts that are not seen and not muted, for the timeline. */
  readonly flags = $derived.by((): readonly AlertFlag[] => {
    void this.#wakes;
    const found = [...this.runs.values(), ...(this.rules?.fired ?? [])]
      .filter(({ name }) => !this.isMuted(name))
      .flatMap(({ listed }) => listed)
      .filter((alert) => isShown(this.stateOf(alert), Date.now()))
      .flatMap((alert): AlertFlag[] => {
        if (alert.start === null || alert.end === null) return [];
        const [from, to] = [timeFromNanos(alert.start), timeFromNanos(alert.end)];
        return [{ id: alertId(alert), alert, from, to }];
      });
    // A rule of a folder may be a detector of the case too.
    return [...new Map(found.map((flag) => [flag.id, flag])).values()]
      .sort((a, b) => rank(a.alert.severity) - rank(b.alert.severity))
      .slice(0, MOST_FLAGS);
  });

  readonly #client: Client;
  readonly #casePath: string;
  readonly #notes: Notes;
  readonly #listing: Latest<DetectorList>;
  readonly #running: Latest<DetectorRuns>;
  readonly #ruling: Latest<RuleRuns>;
  readonly #truths: Latest<EventsReply>;
  readonly #settling: Timer;
  readonly #waking: Timer;
  /** The stored detectors that the list is for. */
  #listed: string | null = null;
  #epoch = 0;
  #ran: string | null = null;
  /** The notes that the truth was taken from. */
  #compared = '';
  #isWatched = false;
  #wakes = $state(0);

  constructor(lifetime: Lifetime, client: Client, casePath: string, notes: Notes) {
    this.#client = client;
    this.#casePath = casePath;
    this.#notes = notes;
    this.#listing = new Latest(lifetime);
    this.#running = new Latest(lifetime, (busy) => {
      if (!busy) this.progress = null;
    });
    this.#ruling = new Latest(lifetime, (busy) => (this.ruling = busy));
    this.#truths = new Latest(lifetime);
    this.#settling = new Timer(lifetime);
    this.#waking = new Timer(lifetime);
    this.test = new BackTest(lifetime, client, casePath);
  }

  /** Loads and runs while the tab is on the screen. */
  watch(): () => void {
    this.#isWatched = true;
    this.#load();
    if (this.isStale) this.test.refresh(this.#epoch);
    return () => {
      this.#isWatched = false;
      this.#settling.stop();
    };
  }

  /** The case has grown. */
  refresh(epoch: number): void {
    this.#epoch = epoch;
    this.isStale = this.#ran !== null || this.rules !== null;
    if (this.#isWatched && this.isStale) this.#settling.start(() => this.runAgain(), SETTLED_MS);
  }

  /** Notes were written, here or in another window. */
  notesChanged(): void {
    this.#wake();
    if (this.#isWatched && this.#stored() !== this.#listed) this.#load();
    this.#follow();
    if (this.truth !== null && this.#marked(this.truth) !== this.#compared)
      this.compareWith(this.truth);
  }

  /** The stored text was changed by undo or in another window; what was typed here stays. */
  #follow(): void {
    const { subject, isChanged } = this.test;
    if (subject === null || subject.id === null) return;
    const stored = this.#notes.all.get(noteKey(DETECTOR, subject.id));
    if (stored === undefined) this.test.removed();
    else if (stored.text !== subject.text && !isChanged)
      this.test.open({ ...subject, text: stored.text });
  }

  /** Shows alerts again whose mute is over, now and later. */
  #wake(): void {
    this.#wakes += 1;
    const now = Date.now();
    const ends = this.#notes
      .ofKind(ALERT)
      .map((note) => alertState(note).mutedUntilMs ?? 0)
      .filter((end) => end > now);
    if (ends.length === 0) this.#waking.stop();
    else this.#waking.start(() => this.#wake(), Math.min(Math.min(...ends) - now, LONGEST_MS));
  }

  isMuted(name: string): boolean {
    return this.#notes.all.has(noteKey(MUTED, name));
  }

  /** Whether a person does not want to be notified of an alert. */
  isQuiet(alert: Alert): boolean {
    return this.isMuted(alert.detector) || !isShown(this.stateOf(alert), Date.now());
  }

  mute(name: string, isMuted: boolean): Promise<boolean> {
    return isMuted
      ? this.#notes.change([{ kind: MUTED, id: name, text: name }])
      : this.#notes.change([], [{ kind: MUTED, id: name }]);
  }

  stateOf(alert: Alert): AlertState {
    return alertState(this.#notes.all.get(noteKey(ALERT, alertId(alert))));
  }

  /** Notes something on an alert. */
  note(alert: Alert, change: Partial<AlertState>): Promise<boolean> {
    const draft = alertDraft(alert, { ...this.stateOf(alert), ...change });
    return draft === null
      ? this.#notes.change([], [{ kind: ALERT, id: alertId(alert) }])
      : this.#notes.change([draft]);
  }

  /** Tries a detector of the list. */
  select(entry: DetectorEntry): void {
    const { name, text } = entry;
    this.conflict = false;
    const id = entry.own ? entry.file : null;
    this.test.open({ id, name, text, isStored: true, suggest: null });
  }

  /** Tries the one that an alert is of, when the list is known. */
  selectNamed(name: string): void {
    const entry = this.list.find((each) => each.name === name);
    // A rule of a folder is in the list of rules.
    if (entry === undefined) this.test.close();
    else if (!this.isSelected(entry)) this.select(entry);
  }

  /** Tries a new one. */
  begin(subject: Pick<Subject, 'name' | 'text' | 'suggest'>): void {
    this.conflict = false;
    this.test.open({ id: null, isStored: false, ...subject });
  }

  /** Whether the tried one is that of a list entry. */
  isSelected({ own, file, name }: DetectorEntry): boolean {
    const { subject, entry } = this.test;
    if (subject === null) return false;
    const isSame = own ? subject.id === file : subject.id === null;
    return isSame && name === (entry?.name ?? subject.name);
  }

  /** Stores the tried one in the case. False if somebody else changed it since. */
  async save(): Promise<boolean> {
    const { subject, text } = this.test;
    if (subject === null) return false;
    const id = subject.id ?? randomId();
    const known = this.#notes.all.get(noteKey(DETECTOR, id));
    // A text that was not the stored one when it was opened was changed elsewhere.
    if (known !== undefined && known.text !== subject.text) {
      this.conflict = true;
      return false;
    }
    const isSaved = await this.#notes.change([
      { kind: DETECTOR, id, text, known: known?.revision ?? 0 },
    ]);
    this.conflict = !isSaved && this.#notes.failure === null;
    if (isSaved) this.test.stored(id, text);
    return isSaved;
  }

  async remove(id: string): Promise<void> {
    if (await this.#notes.change([], [{ kind: DETECTOR, id }])) this.test.close();
  }

  /** Runs everything again that the case has grown under. */
  runAgain(): void {
    this.#settling.stop();
    if (this.rules !== null) this.runRules(this.rulePaths);
    this.test.refresh(this.#epoch);
    this.run();
  }

  /** Runs all detectors over the history. */
  run(): void {
    const key = `${this.#epoch} ${this.#stored()}`;
    this.progress = { done: 0, total: this.list.length };
    this.#running.replace({
      key,
      load: (signal) =>
        this.#client.call(
          'runDetectors',
          { case: this.#casePath },
          { signal, progress: (run) => !signal.aborted && this.#came(run) },
        ),
      done: ({ runs }) => {
        this.#ran = key;
        this.isStale = false;
        this.failure = null;
        this.runs = new Map(runs.map((run) => [runKey(run), run]));
      },
      failed: (cause) => this.#failed(cause),
    });
  }

  stop(): void {
    this.#running.stop();
    this.#ruling.stop();
  }

  /** Lets a person choose rules, and runs them. */
  async chooseRules(kind: 'files' | 'folder'): Promise<void> {
    try {
      const paths = await this.#client.choose(kind);
      if (paths.length > 0) this.runRules(paths);
    } catch (cause) {
      this.failure = engineError(cause);
    }
  }

  runRules(paths: readonly string[]): void {
    this.rulePaths = paths;
    this.#ruling.replace({
      key: `${paths.join('\n')} ${this.#epoch}`,
      load: (signal) =>
        this.#client.call('runRules', { case: this.#casePath, paths: [...paths] }, { signal }),
      done: (found) => {
        this.rules = found;
        this.failure = null;
      },
      failed: (cause) => this.#failed(cause),
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
    this.#truths.replace({
      key: `${truthKey(choice)} ${this.#compared}`,
      load: (signal) => this.#client.call('events', { case: this.#casePath, ids }, { signal }),
      done: ({ events }) => {
        const times = events.flatMap(({ row }) => (row.time === null ? [] : [row.time]));
        this.test.compare([...spans, ...times.map((time) => ({ from: time, to: time }))]);
      },
      failed: (cause) => this.#failed(cause),
    });
  }

  retry(): void {
    this.failure = null;
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
    this.#listing.replace({
      key: stored,
      load: (signal) => this.#client.call('detectors', { path: this.#casePath }, { signal }),
      done: ({ detectors, problems }) => {
        this.#listed = stored;
        this.list = detectors;
        this.problems = problems;
        this.known = true;
        if (this.#ran !== `${this.#epoch} ${stored}`) this.run();
      },
      failed: (cause) => this.#failed(cause),
    });
  }

  #came(run: DetectorRun): void {
    this.progress = { done: run.done, total: run.total };
    this.runs = new Map(this.runs).set(runKey(run), run);
  }

  #failed(cause: unknown): void {
    const error = engineError(cause);
    if (error.code !== 'cancelled') this.failure = error;
  }
}
