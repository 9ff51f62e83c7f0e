import type { Lifetime } from '../../base/lifetime';
import { Timer } from '../../base/timer';
import type { Client, EngineError } from '../../ipc/client';
import type {
  BackTest as WireBackTest,
  BackTestRequest,
  ChangeDetectorRequest,
  DetectorEntry,
  DetectorKeys,
  DetectorLevel,
  DetectorList,
  DetectorProblem,
  KeyChange,
  TimeSpan,
  TriedLevel,
  TryLevelRequest,
  WrittenKey,
} from '../../ipc/generated';
import { Request } from '../request.svelte';

/** Slots of time that the measure is drawn in: about one for two pixels. */
const SLOTS = 600;
/** Typing is checked after this pause. */
const PAUSE_MS = 300;

/** What is tried: a detector of a case, one that comes with the program, or a new one. */
export interface Subject {
  /** The id of its note; null for one that is not in the case. */
  readonly id: string | null;
  readonly name: string;
  readonly text: string;
  /** Whether its text is kept: in the case, or in the program. */
  readonly isStored: boolean;
  /** For a new one: its level is chosen, so that it fires in this range, or where it is unusual. */
  readonly suggest: { readonly within: TimeSpan | null } | null;
}

/** One detector over all of the time: its text, its level, and what it would have said. */
export class BackTest {
  subject = $state.raw<Subject | null>(null);
  /** The text as it is now, with what was typed and dragged. */
  text = $state('');
  /** The detector that the text says; null while it says none. */
  entry = $state.raw<DetectorEntry | null>(null);
  problems = $state.raw<readonly DetectorProblem[]>([]);
  /** The keys of the text for the form; null if the text is no TOML. */
  keys = $state.raw<readonly WrittenKey[] | null>(null);
  answer = $state.raw<WireBackTest | null>(null);
  tried = $state.raw<TriedLevel | null>(null);
  /** The level that is dragged; null if it is the one of `tried`. */
  dragged = $state<number | null>(null);
  truth = $state.raw<readonly TimeSpan[]>([]);
  /** The last text that was read. */
  #read = $state<string | null>(null);

  readonly #casePath: string;
  readonly #reading: Request<string, DetectorList>;
  readonly #keying: Request<ChangeDetectorRequest, DetectorKeys>;
  readonly #testing: Request<BackTestRequest, WireBackTest>;
  readonly #trying: Request<TryLevelRequest, TriedLevel>;
  readonly #typing: Timer;
  /** The last change of the form; the next one is made in its text. */
  #changed: Promise<void> = Promise.resolve();
  /** Counts the detectors that were tried. */
  #opening = 0;
  /** The text that the answer is for; levels are tried in it. */
  #tested = '';

  constructor(lifetime: Lifetime, client: Client, casePath: string) {
    this.#casePath = casePath;
    // A test reads all events: the detectors say when it is made again.
    const options = { ignoresGrowth: true };
    this.#reading = new Request(
      lifetime,
      (text, { signal }) => client.call('readDetectors', { case: casePath, text }, { signal }),
      options,
    );
    this.#keying = new Request(
      lifetime,
      (asked, { signal }) => client.call('changeDetector', asked, { signal }),
      options,
    );
    this.#testing = new Request(
      lifetime,
      (asked, { signal }) => client.call('backTest', asked, { signal }),
      options,
    );
    this.#trying = new Request(
      lifetime,
      async (asked, { signal }) => {
        const found = await client.call('tryLevel', asked, { signal });
        if (!signal.aborted) this.#tried(asked.level, found);
        return found;
      },
      options,
    );
    this.#typing = new Timer(lifetime);
  }

  get busy(): boolean {
    return this.#testing.busy;
  }

  get failure(): EngineError | null {
    const requests = [this.#reading, this.#keying, this.#testing, this.#trying];
    return requests.map(({ error }) => error).find((error) => error !== null) ?? null;
  }

  /** Whether something is wrong with the text; the result is then that of the last valid one. */
  get isInvalid(): boolean {
    return this.problems.length > 0 || this.failure !== null;
  }

  /** Whether the text was read, and nothing is wrong with it. */
  get isValid(): boolean {
    return this.#read === this.text && !this.isInvalid;
  }

  /** Whether the text is not what is kept. */
  get isChanged(): boolean {
    const { subject, text } = this;
    return subject !== null && (!subject.isStored || text !== subject.text);
  }

  get level(): DetectorLevel | null {
    const level = this.tried?.level ?? null;
    return level === null || this.dragged === null ? level : { ...level, value: this.dragged };
  }

  /** Tries a detector, with a text that may not be the one that is kept. */
  open(subject: Subject, text = subject.text): void {
    this.close();
    this.subject = subject;
    this.text = text;
    this.#check(subject.suggest);
  }

  close(): void {
    this.#opening += 1;
    this.#changed = Promise.resolve();
    this.#typing.stop();
    this.#reading.forget();
    this.#keying.forget();
    this.#testing.forget();
    this.#trying.forget();
    this.subject = null;
    this.entry = null;
    this.problems = [];
    this.keys = null;
    this.answer = null;
    this.tried = null;
    this.dragged = null;
    this.text = '';
    this.#read = null;
  }

  /** The text was stored: it is the one to compare with. */
  stored(id: string, text: string): void {
    if (this.subject === null) return;
    this.subject = {
      id,
      name: this.entry?.name ?? this.subject.name,
      text,
      isStored: true,
      suggest: null,
    };
  }

  /** Somebody else stored another text: it is the one to compare with. */
  rebase(text: string): void {
    if (this.subject !== null) this.subject = { ...this.subject, text };
  }

  /** It is not in the case any more. */
  removed(): void {
    if (this.subject !== null) this.subject = { ...this.subject, id: null, isStored: false };
  }

  type(text: string): void {
    if (text === this.text) return;
    this.#write(text);
    this.#typing.start(() => this.#check(null), PAUSE_MS);
  }

  /** Changes keys of the text, as the form does; changes follow one another. */
  change(changes: readonly KeyChange[]): void {
    this.#afterChanges(async () => {
      const { text } = this;
      const found = await this.#keying.answer(this.#keysOf(text, changes));
      if (found === null || found.keys === null) return;
      // What was typed meanwhile is the text to change.
      if (this.text !== text) return this.change(changes);
      this.keys = found.keys;
      if (found.text === text) return;
      this.#write(found.text);
      this.#typing.stop();
      this.#check(null);
    });
  }

  #readKeys(): void {
    const { text } = this;
    this.#afterChanges(async () => {
      if (this.text !== text) return;
      const found = await this.#keying.answer(this.#keysOf(text));
      if (found !== null && this.text === text) this.keys = found.keys;
    });
  }

  /** Runs when all changes before are made, unless another detector is tried then. */
  #afterChanges(run: () => Promise<void>): void {
    const opening = this.#opening;
    this.#changed = this.#changed.then(() => (opening === this.#opening ? run() : undefined));
  }

  #keysOf(text: string, changes: readonly KeyChange[] = []): ChangeDetectorRequest {
    return { text, name: this.entry?.name ?? this.subject?.name ?? '', changes: [...changes] };
  }

  /** Takes a text that a person wrote. */
  #write(text: string): void {
    this.text = text;
    // A level that a person wrote is not chosen for them.
    if (this.subject !== null) this.subject = { ...this.subject, suggest: null };
    this.#trying.forget();
    this.dragged = null;
  }

  /** Tries another level. The latest one counts; none in between is waited for. */
  drag(value: number): void {
    const { entry, level } = this;
    // The text that is being written must not be replaced by the last valid one.
    if (entry === null || level === null || !this.isValid || !Number.isFinite(value)) return;
    this.dragged = value;
    const truth = [...this.truth];
    const { name } = entry;
    this.#trying.ask(
      { case: this.#casePath, text: this.#tested, name, level: value, slots: SLOTS, truth },
      'follow',
    );
  }

  #tried(level: number, found: TriedLevel): void {
    this.tried = found;
    this.#take(found.text);
    if (this.dragged === level) this.dragged = null;
  }

  /** Takes a text that the engine wrote. */
  #take(text: string): void {
    const isSame = text === this.text;
    this.text = text;
    this.#read = text;
    if (!isSame) this.#readKeys();
  }

  /** Compares with other times from now on. */
  compare(truth: readonly TimeSpan[]): void {
    this.truth = truth;
    if (this.subject !== null) this.#check(null);
  }

  /** The case has grown. */
  refresh(): void {
    if (this.subject !== null) this.#check(null);
  }

  retry(): void {
    this.#check(this.subject?.suggest ?? null);
  }

  stop(): void {
    this.#testing.stop();
  }

  /** Reads the text; if it says a detector, tests it. */
  #check(suggest: Subject['suggest']): void {
    const { text } = this;
    this.#readKeys();
    void this.#reading.answer(text).then((found) => {
      if (found === null) return;
      const { detectors, problems } = found;
      this.problems = problems;
      this.#read = text;
      const name = this.entry?.name ?? this.subject?.name;
      const entry = detectors.find((each) => each.name === name) ?? detectors[0] ?? null;
      // The result stays while the text is being written.
      if (entry === null) return;
      this.entry = entry;
      this.#test(text, entry, suggest);
    });
  }

  #test(text: string, { name }: DetectorEntry, suggest: Subject['suggest']): void {
    const request = {
      case: this.#casePath,
      text,
      name,
      slots: SLOTS,
      truth: [...this.truth],
      suggest: suggest !== null,
      within: suggest?.within ?? null,
    };
    void this.#testing.answer(request).then((answer) => {
      if (answer === null) return;
      this.#trying.forget();
      this.answer = answer;
      this.tried = answer.tried;
      this.dragged = null;
      this.#tested = text;
      if (suggest === null || this.subject === null) return;
      // A level is chosen once.
      this.subject = { ...this.subject, suggest: null };
      if (this.text === text) this.#take(answer.tried.text);
    });
  }
}
