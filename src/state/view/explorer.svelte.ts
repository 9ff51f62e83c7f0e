import type { Lifetime } from '../../base/lifetime';
import { nanosFromTime } from '../../base/time';
import { Timer } from '../../base/timer';
import { Clock } from '../../base/zone';
import { engineError, type Client, type EngineError } from '../../ipc/client';
import type { Order, QueryCheck, QueryEdit, Timeline, View } from '../../ipc/generated';
import { valueFields } from '../events/columns';
import { choiceEdits, type Choice, type ValueField } from '../fields/valueclause';
import { noStorage, type CaseStorage } from '../workbench/casestorage';
import { Language } from '../query/language';
import type { SavedView } from '../query/savedqueries.svelte';
import { NO_PARTS, partsOf, type QueryParts } from '../query/queryparts';
import { clause, endsWithinWord, existence } from '../query/querytext';
import { Request } from '../request.svelte';
import { sameRange, type RangeChoice } from './ranges';
import type { Listing } from '../events/rows.svelte';
import { timelineData, type TimelineData } from '../timeline/timelinedata';
import { ViewHistory } from './history.svelte';
import { START, type ViewSort, type ViewState } from './viewstate';
import { viewOfText } from './viewtext';

/** A pause this long in typing runs the query: after a word, and within one. */
const TYPING_PAUSE_MS = 300;
const WORD_PAUSE_MS = 1_000;

/** The sort by best match. */
const BEST_MATCH: ViewSort = { field: 'relevance', descending: true };

/** Typing is one step of the history, however often the query runs meanwhile. */
const TYPED = 'typed';

/** The tab that shows the result of a query with stages. */
export const RESULT_TAB = 'charts';

/** The question of a timeline, in as many buckets as fit on the screen. */
interface ShownTimeline {
  readonly view: View;
  readonly range: RangeChoice;
  readonly buckets: number;
}

/** The current request of a case, and the timeline that answers it. */
export class Explorer {
  /** The view, and every step that led to it. */
  readonly history: ViewHistory;
  /** Formats and parses times in the zone of the view. */
  readonly clock = new Clock(() => this.history.current.zone);
  /** The text in the query bar; the view's query is the last one that was run. */
  draft = $state('');
  queryError = $state.raw<EngineError | null>(null);
  /**
   * The parsed query that everything shows: the last one without an error. A query becomes it when
   * its check has answered, so no part of the screen ever requests an invalid one.
   */
  parts = $state.raw<QueryParts>(NO_PARTS);
  /** Whether the first check has answered: until then nothing is known to be valid. */
  isReady = $state(false);

  /** The last checked query, and its error. */
  #checked = $state.raw<{ query: string; mistake: EngineError | null }>({
    query: '',
    mistake: null,
  });
  /** The valid query before this one, for errors that are found only when a query runs. */
  #former: QueryParts = NO_PARTS;
  /** The query that was completed last, until it is a recent one, and the one that was answered last. */
  #finished: string | null = null;
  #answered = '';
  /** The query that was run by key, until its result is shown. */
  #ran: string | null = null;
  readonly #client: Client;
  readonly #casePath: string;
  readonly #viewChanged: (what: 'all' | 'list') => void;
  readonly #storage: CaseStorage;
  readonly #asked: (query: string) => void;
  readonly #resultView: () => Partial<ViewState>;
  readonly #language: Language;
  readonly #timeline: Request<ShownTimeline, TimelineData>;
  readonly #parts: Request<string, QueryCheck>;
  /** Whether a text that was typed is valid, or at least not known to be wrong. */
  readonly #written: Request<string, boolean>;
  #edited: Promise<void> = Promise.resolve();
  /** The text that was run last, and the query it became together with the pinned clauses. */
  #asking = $state.raw({ text: '', query: '' });
  #buckets = 0;
  /** The revision that everything is asked about although the case has more by now. */
  #held = $state<number | null>(null);
  readonly #typing: Timer;

  constructor(
    lifetime: Lifetime,
    client: Client,
    casePath: string,
    /** Called with whether the whole request changed, or only the listing of events. */
    viewChanged: (what: 'all' | 'list') => void,
    storage: CaseStorage = noStorage,
    asked: (query: string) => void = () => {},
    /** What else of the view changes when the result of a query with stages is shown. */
    resultView: () => Partial<ViewState> = () => ({}),
    /** The view that a link asks for; null for the one that was shown last. */
    linked: ViewState | null = null,
  ) {
    this.#typing = new Timer(lifetime);
    const language = new Language(client, casePath);
    this.#language = language;
    this.#timeline = new Request(lifetime, async ({ view, range, buckets }, run) => {
      const data = (wire: Timeline) => timelineData(JSON.stringify(view), range, wire);
      const progress = (part: Timeline) => run.show(data(part), part.fraction);
      const options = { signal: run.signal, progress };
      const answer = client.call('timeline', { view, buckets }, options);
      const whole = data(await this.#noticing(answer, run.signal));
      if (!run.signal.aborted) {
        this.#answered = this.parts.query;
        this.#remember();
      }
      return whole;
    });
    this.#parts = new Request(
      lifetime,
      (query, { signal }) => {
        const request = { case: casePath, query, kql: false };
        return this.#noticing(client.call('check', request, { signal }), signal);
      },
      { ignoresGrowth: true },
    );
    this.#written = new Request(
      lifetime,
      (text, { signal }) =>
        language.check(text, signal).then(
          ({ diagnostics }) => diagnostics.every(({ isError }) => !isError),
          () => true,
        ),
      { ignoresGrowth: true },
    );
    this.#client = client;
    this.#casePath = casePath;
    this.#viewChanged = viewChanged;
    this.#storage = storage;
    this.#asked = asked;
    this.#resultView = resultView;
    const stored = viewOfText(storage.read('view') ?? '');
    const start = linked ?? stored ?? START;
    this.history = new ViewHistory((after, before) => this.#changed(after, before), start);
    // Text that was not run yet belongs to the query that is stored with it.
    const hasDraft = linked === null || linked.query === stored?.query;
    this.draft = (hasDraft ? storage.read('draft') : null) ?? start.query;
    if (start.query === '') this.isReady = true;
    else this.#parse();
  }

  /** The last good answer. It stays until a better one arrives, whatever fails meanwhile. */
  get timeline(): TimelineData | null {
    return this.#timeline.value;
  }

  get busy(): boolean {
    return this.#timeline.busy;
  }

  /** Whether the timeline is of another view, or of fewer events. */
  get isStale(): boolean {
    return this.#timeline.isStale;
  }

  get failure(): EngineError | null {
    return this.#timeline.failure ?? this.#parts.failure;
  }

  get query(): string {
    return this.history.current.query;
  }

  get range(): RangeChoice {
    return this.history.current.range;
  }

  get order(): Order {
    return this.history.current.order;
  }

  /** The query that is shown: the last valid one. */
  get shownQuery(): string {
    return this.parts.query;
  }

  /** The part of the query before its first pipe: the filter of everything except tables. */
  get filter(): string {
    return this.parts.filter;
  }

  /** Whether the shown query has stages, which make it a table. */
  get isPiped(): boolean {
    return this.parts.stages.length > 0;
  }

  /** The stages of the shown query as they are written, with their pipes. */
  get stagesText(): string {
    return this.parts.stages.map((stage) => `| ${stage}`).join(' ');
  }

  /** Whether the shown query is SQL. */
  get isSql(): boolean {
    return this.parts.isSql;
  }

  /** The error in the query. While there is one, the last valid query is shown. */
  get mistake(): EngineError | null {
    const isKnown = this.#checked.query === this.query;
    return this.queryError ?? (isKnown ? this.#checked.mistake : null);
  }

  /** Whether the draft is what was run, by itself or together with the pinned clauses. */
  get isRun(): boolean {
    const { text, query } = this.#asking;
    const draft = this.draft.trim();
    return draft === this.query || (draft === text && query === this.query);
  }

  /** The request without the stages of the query. */
  get view(): View {
    return this.viewOf();
  }

  /** The request with the stages of the query. */
  get wholeView(): View {
    return this.viewOf(this.parts.query);
  }

  /** The request with another query in the range and the zone of the view. */
  viewOf(query: string = this.filter): View {
    const { range } = this.history.current;
    // Without a filter there is no time that the zone could be about.
    const zone = query === '' ? null : this.clock.zoneAsked;
    return {
      case: this.#casePath,
      query,
      from: range === null ? null : nanosFromTime(range.from),
      to: range === null ? null : nanosFromTime(range.to),
      ...(zone === null ? {} : { zone }),
      ...(this.#held === null ? {} : { revision: this.#held }),
    };
  }

  /** The order of the list, and the fields in it. */
  get listing(): Listing {
    const { order, sort, columns } = this.history.current;
    return { order, sort, fields: valueFields(columns) };
  }

  get isFiltered(): boolean {
    return this.parts.query !== '' || this.range !== null;
  }

  type(text: string): void {
    this.#write(text);
    const pause = endsWithinWord(text) ? WORD_PAUSE_MS : TYPING_PAUSE_MS;
    this.#typing.start(() => this.#paused(text), pause);
  }

  /** Runs a query at once: Enter, a click on a value. */
  ask(text: string = this.draft): void {
    this.#ask(text, text === this.draft ? TYPED : null, () => this.finish());
  }

  /** Runs the typed query, or one that was chosen, and shows the table that its stages make. */
  run(text: string = this.draft): void {
    this.#ask(text, text === this.draft ? TYPED : null, () => {
      this.finish();
      this.#showResult();
    });
  }

  /** Shows a saved view as one step. A range such as the last hour is the one of the data as it is now. */
  async show({ query, parts }: SavedView): Promise<void> {
    if (parts === null) return this.run(query);
    const { range, zone } = parts;
    const written = range?.written;
    const ends =
      written === undefined
        ? range
        : await this.#language
            .stretch(written, null, new Clock(zone).zone, range!)
            .catch(() => range);
    const now = ends === null || written === undefined ? ends : { ...ends, written };
    this.history.change({ ...parts, range: now });
    this.finish();
  }

  #showResult(): void {
    this.#ran = this.query;
    this.#toResult();
  }

  #toResult(): void {
    const isAnswer = this.#ran === this.query && this.parts.query === this.query;
    if (!isAnswer) return;
    this.#ran = null;
    if (this.isPiped) this.history.change({ ...this.#resultView(), tab: RESULT_TAB });
  }

  /** Ends the typing step: the current query is complete. It is a recent one when it was answered. */
  finish(): void {
    this.history.finishStep();
    this.#finished = this.query;
    this.#remember();
  }

  #remember(): void {
    const isAnswered = this.#answered === this.query && this.mistake === null;
    if (!isAnswered || this.#finished !== this.query) return;
    this.#finished = null;
    this.#asked(this.query);
  }

  addClause(field: string, value: string, excluded: boolean): void {
    this.addFilter(clause(field, value, excluded));
  }

  /** Adds a clause to the typed query and runs it. */
  addFilter(text: string): void {
    this.edit({ kind: 'add', clause: text });
  }

  /**
   * Changes which values of a field the typed query includes and excludes, and runs it, all in one
   * step. `change` is given the choice when earlier edits are done, so that no quick click is lost.
   */
  choose(field: ValueField, change: (now: Choice) => Choice): void {
    this.#edited = this.#edited.then(async () => {
      const written = this.isSql ? '' : await this.#withPinned(this.draft.trim());
      const about = { case: this.#casePath };
      let query = written;
      let { pinned } = this.history.current;
      try {
        const clausesOf = async () =>
          (await this.#client.call('check', { ...about, query, kql: false })).clauses;
        const before = await clausesOf();
        const { edits, removed } = choiceEdits(before, field, change);
        if (edits.length === 0) return;
        pinned = pinned.filter((clause) => !removed.includes(clause));
        for (const edit of edits) {
          ({ query } = await this.#client.call('edit', { ...about, query, edit }));
          if (edit.kind !== 'replace') continue;
          const former = before[edit.at]?.text ?? '';
          if (!pinned.includes(former)) continue;
          // A pinned clause stays pinned in its new spelling.
          const now = (await clausesOf())[edit.at]?.text ?? former;
          pinned = pinned.map((clause) => (clause === former ? now : clause));
        }
        this.#write(query);
        this.history.change({ query, pinned });
        this.finish();
      } catch {
        this.ask();
      }
    });
  }

  /** Edits the query in the engine and runs the result. Edits run one after the other. */
  edit(edit: QueryEdit, along: Partial<ViewState> = {}): void {
    this.#edited = this.#edited.then(async () => {
      // Adding extends the typed text; all other edits refer to clauses of the last query that was
      // run. SQL has no clauses: an added one replaces it.
      const written = this.isSql ? '' : this.draft.trim();
      const query = edit.kind === 'add' ? await this.#withPinned(written) : this.query;
      try {
        const request = { case: this.#casePath, query, edit };
        const edited = await this.#client.call('edit', request);
        this.#write(edited.query);
        this.history.change({ ...along, query: edited.query });
        this.finish();
      } catch {
        // A query with an error cannot be edited by clicks; running it shows the error.
        this.ask();
      }
    });
  }

  /** Only events that have a field. */
  addExistence(field: string): void {
    this.addFilter(existence(field));
  }

  zoom(range: RangeChoice): void {
    this.history.change({ range });
  }

  /** The range moves along with the clock: what is shown stays until the next answer. */
  slide(range: RangeChoice): void {
    this.history.slide(range);
    this.#storage.write('view', this.history.text);
    if (!this.isReady) return;
    this.#load('follow');
    this.#viewChanged('all');
  }

  /** Shows the case as it was in a revision, until there is none: then as it is. */
  hold(revision: number | null): void {
    if (revision === this.#held) return;
    this.#held = revision;
    this.#load('follow');
    this.#viewChanged('all');
  }

  /** Whether the events are sorted by best match. */
  get isByMatch(): boolean {
    return this.history.current.sort?.field === BEST_MATCH.field;
  }

  toggleBestMatch(): void {
    this.history.change({ sort: this.isByMatch ? null : BEST_MATCH });
  }

  toggleOrder(): void {
    const order = this.order === 'oldestFirst' ? 'newestFirst' : 'oldestFirst';
    this.history.change({ order, sort: null });
  }

  /** The order of the list; null for the oldest first. It holds whether or not its column is shown. */
  get chosenOrder(): ViewSort | null {
    const { sort, order } = this.history.current;
    return sort ?? (order === START.order ? null : { field: 'time', descending: true });
  }

  clearOrder(): void {
    const { sort } = this.history.current;
    this.history.change(sort === null ? { order: START.order } : { sort: null });
  }

  /** How many buckets fit on the screen. */
  fit(buckets: number): void {
    if (buckets === this.#buckets) return;
    const first = this.#buckets === 0;
    this.#buckets = buckets;
    if (first) this.#load('replace');
    else this.#load('follow');
  }

  retry(): void {
    if (this.parts.query === this.query) this.#requestAgain();
    else this.#parse();
  }

  /** Typing has paused: the text is run if it is valid. */
  #paused(text: string): void {
    void this.#written.answer(text).then((makesSense) => {
      if (text === this.draft && makesSense === true) this.#ask(text, TYPED);
    });
  }

  /** Parses the current query. If it is valid, it is shown; otherwise what is shown stays. */
  #parse(): void {
    const { query } = this;
    void this.#parts.answer(query).then((check) => {
      if (check === null) return;
      const parts = partsOf(query, check);
      this.#checked = { query, mistake: parts.mistake };
      this.queryError = null;
      this.isReady = true;
      if (parts.mistake === null) {
        this.#former = this.parts;
        this.parts = parts;
      }
      this.#requestAgain();
      this.#remember();
      this.#toResult();
    });
  }

  /** Runs a text together with the pinned clauses. The draft stays as it was written. */
  #ask(text: string, kind: string | null, done: () => void = () => {}): void {
    this.#typing.stop();
    this.#write(text);
    const run = (query: string) => {
      this.#asking = { text: text.trim(), query };
      if (query !== this.query) this.history.change({ query }, kind);
      else if (this.failure !== null || this.mistake !== null) this.#parse();
      done();
    };
    if (this.#kept.length === 0) run(text.trim());
    else {
      this.#edited = this.#edited.then(async () => {
        const query = await this.#withPinned(text.trim());
        // What was typed meanwhile runs after its own pause.
        if (text === this.draft) run(query);
      });
    }
  }

  /** The pinned clauses that are not switched off. */
  get #kept(): readonly string[] {
    const { pinned, off } = this.history.current;
    return pinned.filter((clause) => !off.includes(clause));
  }

  /** A query and the pinned clauses that it lacks. SQL and a query with an error stay as they are. */
  async #withPinned(query: string): Promise<string> {
    const kept = this.#kept;
    if (kept.length === 0) return query;
    const request = { case: this.#casePath, query };
    try {
      const { isSql, clauses } = await this.#client.call('check', { ...request, kql: false });
      const missing = kept.filter((clause) => !clauses.some(({ text }) => text === clause));
      if (isSql || missing.length === 0) return query;
      const clause = missing.map((each) => `(${each})`).join(' ');
      const edit: QueryEdit = { kind: 'add', clause };
      return (await this.#client.call('edit', { ...request, edit })).query;
    } catch {
      return query;
    }
  }

  #write(draft: string): void {
    this.draft = draft;
    this.#storage.write('draft', draft);
  }

  #changed(after: ViewState, before: ViewState): void {
    this.#storage.write('view', this.history.text);
    const isOther = after.query !== before.query;
    if (isOther && !this.isRun) {
      this.#typing.stop();
      this.#write(after.query);
    }
    // A clause that is no longer pinned is a part of the text again.
    if (after.pinned !== before.pinned && this.isRun) this.#write(after.query);
    if (isOther) this.#parse();
    const isRead = after.zone !== before.zone && this.parts.query !== '';
    const moved = isRead || !sameRange(after.range, before.range);
    const listed =
      after.order !== before.order ||
      after.sort !== before.sort ||
      after.columns !== before.columns;
    // Another query is requested together with its range, once it is known to be valid.
    if (moved && !isOther && this.isReady) this.#requestAgain();
    else if (listed && this.isReady) this.#viewChanged('list');
  }

  #requestAgain(): void {
    // Asking again tries a failed request once more.
    if (this.#timeline.error !== null) this.#timeline.stop();
    this.#load('replace');
    this.#viewChanged('all');
  }

  #load(how: 'replace' | 'follow'): void {
    // Before the width is known, any answer would be thrown away.
    if (this.#buckets === 0 || !this.isReady) return;
    const { view, range } = this;
    this.#timeline.ask({ view, range, buckets: this.#buckets }, how);
  }

  /** An answer whose failure may be that of the query. */
  async #noticing<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      return await answer;
    } catch (cause) {
      if (!signal.aborted) this.#failed(engineError(cause));
      throw cause;
    }
  }

  #failed(error: EngineError): void {
    if (error.code !== 'queryInvalid') return;
    this.queryError = error;
    // Some errors are found only when the query runs: the one before it is shown again.
    if (this.parts.query === this.#former.query) return;
    this.parts = this.#former;
    this.#requestAgain();
  }
}
