import { Latest } from '../../base/latest';
import type { Lifetime } from '../../base/lifetime';
import { nanosFromTime } from '../../base/time';
import { Timer } from '../../base/timer';
import { engineError, type Client, type EngineError } from '../../ipc/client';
import type { Order, QueryCheck, QueryEdit, View } from '../../ipc/generated';
import { valueFields } from '../events/columns';
import { noStorage, type CaseStorage } from '../workbench/casestorage';
import { Language } from '../query/language';
import { NO_PARTS, partsOf, type QueryParts } from '../query/queryparts';
import { clause, endsWithinWord, existence, mayHaveStages } from '../query/querytext';
import { sameRange, type RangeChoice } from './ranges';
import type { Listing } from '../events/rows.svelte';
import { timelineData, type TimelineData } from '../timeline/timelinedata';
import { ViewHistory } from './history.svelte';
import { START, type ViewSort, type ViewState } from './viewstate';
import { viewOfText } from './viewtext';

/** A pause this long in typing counts as "done for now" behind a word, and within one. */
const TYPING_PAUSE_MS = 300;
const WORD_PAUSE_MS = 1_000;

/** The order in which the best match comes first. */
const BEST_MATCH: ViewSort = { field: 'relevance', descending: true };

/** Typing is one step of the history, however often it is asked for meanwhile. */
const TYPED = 'typed';

/** The tab that shows what the stages of a query make. */
export const RESULT_TAB = 'charts';

/** What is asked of a case, and the timeline that answers it. */
export class Explorer {
  /** All that is shown, and every step that led there. */
  readonly history: ViewHistory;
  /** What stands in the query bar; the view's query is what of it was asked last. */
  draft = $state('');
  /** The last good answer. It stays until a better one comes, whatever goes wrong meanwhile. */
  timeline = $state.raw<TimelineData | null>(null);
  busy = $state(false);
  queryError = $state.raw<EngineError | null>(null);
  failure = $state.raw<EngineError | null>(null);
  /** What the parts of a query are; of the query that was asked once that is known. */
  parts = $state.raw<QueryParts>(NO_PARTS);

  /** The query that a person asked for by key, until its result is on the screen. */
  #ran: string | null = null;
  readonly #client: Client;
  readonly #casePath: string;
  readonly #viewChanged: (what: 'all' | 'list') => void;
  readonly #storage: CaseStorage;
  readonly #asked: (query: string) => void;
  readonly #latest: Latest<TimelineData>;
  readonly #language: Language;
  readonly #parts: Latest<QueryCheck>;
  readonly #written: Latest<QueryCheck>;
  #edited: Promise<void> = Promise.resolve();
  #buckets = 0;
  #epoch = 0;
  readonly #typing: Timer;

  constructor(
    lifetime: Lifetime,
    client: Client,
    casePath: string,
    /** Told whether all that is asked changed, or only how its events are listed. */
    viewChanged: (what: 'all' | 'list') => void,
    storage: CaseStorage = noStorage,
    asked: (query: string) => void = () => {},
  ) {
    this.#typing = new Timer(lifetime);
    this.#latest = new Latest(lifetime, (busy) => (this.busy = busy));
    this.#parts = new Latest(lifetime);
    this.#written = new Latest(lifetime);
    this.#client = client;
    this.#casePath = casePath;
    this.#viewChanged = viewChanged;
    this.#storage = storage;
    this.#asked = asked;
    const start = viewOfText(storage.read('view') ?? '') ?? START;
    this.history = new ViewHistory((after, before) => this.#changed(after, before), start);
    this.draft = storage.read('draft') ?? start.query;
    this.#language = new Language(client, casePath);
    this.#parse();
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

  /** What of the query comes before its first pipe: what all but tables are asked with. */
  get filter(): string {
    return mayHaveStages(this.query) ? this.parts.filter : this.query;
  }

  /** Whether the query has stages, which make a table of it. */
  get isPiped(): boolean {
    return this.parts.query === this.query && this.parts.stages.length > 0;
  }

  /** Whether the query is SQL. */
  get isSql(): boolean {
    return this.parts.query === this.query && this.parts.isSql;
  }

  /** What is wrong with the query. */
  get mistake(): EngineError | null {
    const isKnown = this.parts.query === this.query;
    return this.queryError ?? (isKnown ? this.parts.mistake : null);
  }

  /** What is asked for, without the stages of the query. */
  get view(): View {
    return this.#view(this.filter);
  }

  /** What is asked for, with the stages of the query. */
  get wholeView(): View {
    return this.#view(this.query);
  }

  #view(query: string): View {
    const { range } = this.history.current;
    return {
      case: this.#casePath,
      query,
      from: range === null ? null : nanosFromTime(range.from),
      to: range === null ? null : nanosFromTime(range.to),
    };
  }

  /** In which order the events are listed, and which of their fields with them. */
  get listing(): Listing {
    const { order, sort, columns } = this.history.current;
    return { order, sort, fields: valueFields(columns) };
  }

  get isFiltered(): boolean {
    return this.query !== '' || this.range !== null;
  }

  type(text: string): void {
    this.#write(text);
    const pause = endsWithinWord(text) ? WORD_PAUSE_MS : TYPING_PAUSE_MS;
    this.#typing.start(() => this.#paused(text), pause);
  }

  /** Asks a query at once: Enter, a click on a value. */
  ask(text: string = this.draft): void {
    const typed = text === this.draft;
    this.#ask(text, typed ? TYPED : null);
    this.finish();
  }

  /** Asks what is written, and goes to the table that its stages make, which the events do not show. */
  run(): void {
    this.ask();
    this.#ran = this.query;
    this.#toResult();
  }

  #toResult(): void {
    // What is wrong with the query before is still told until this one is answered.
    const isSound = this.isPiped && this.parts.mistake === null;
    const isAnswer = this.#ran === this.query && isSound;
    if (!isAnswer || this.history.current.tab !== 'events') return;
    this.#ran = null;
    this.history.change({ tab: RESULT_TAB });
  }

  /** The query that is asked is what was meant, and not only on the way to it. */
  finish(): void {
    this.history.finishStep();
    this.#asked(this.query);
  }

  addClause(field: string, value: string, excluded: boolean): void {
    this.addFilter(clause(field, value, excluded));
  }

  /** Asks for what is written and this too. */
  addFilter(text: string): void {
    this.edit({ kind: 'add', clause: text });
  }

  /** Asks what becomes of the query by a change of it. Changes are made one after the other. */
  edit(edit: QueryEdit, along: Partial<ViewState> = {}): void {
    this.#edited = this.#edited.then(async () => {
      // What is added is added to what is written; all else is said of clauses of what was asked.
      // SQL has no clauses: what is added to it is asked in its place.
      const written = this.isSql ? '' : this.draft.trim();
      const query = edit.kind === 'add' ? written : this.query;
      try {
        const request = { case: this.#casePath, query, edit };
        const edited = await this.#client.call('edit', request);
        this.#write(edited.query);
        this.history.change({ ...along, query: edited.query });
        this.finish();
      } catch {
        // A query with a mistake cannot be changed by clicks; asking it tells the mistake.
        this.ask();
      }
    });
  }

  /** Asks another query, and what is pinned with it. */
  replace(query: string): void {
    const { pinned } = this.history.current;
    if (pinned.length === 0) this.ask(query);
    else {
      this.#write(query);
      this.addFilter(pinned.map((each) => `(${each})`).join(' '));
    }
  }

  /** Only events that have a field. */
  addExistence(field: string): void {
    this.addFilter(existence(field));
  }

  zoom(range: RangeChoice): void {
    this.history.change({ range });
  }

  /** Whether the events are listed by how well they match. */
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

  /** How many buckets the screen can draw. */
  fit(buckets: number): void {
    if (buckets === this.#buckets) return;
    const first = this.#buckets === 0;
    this.#buckets = buckets;
    if (first) this.#load('replace');
    else this.#load('follow');
  }

  /** The case has grown. */
  refresh(epoch: number): void {
    this.#epoch = epoch;
    this.#load('follow');
  }

  retry(): void {
    this.#requestAgain();
  }

  /** What is written has come to a pause: it is asked if it makes sense as it stands. */
  #paused(text: string): void {
    this.#written.replace({
      key: text,
      load: (signal) => this.#language.check(text, signal),
      done: (check) => {
        const makesSense = check.diagnostics.every(({ isError }) => !isError);
        if (text === this.draft && makesSense) this.#ask(text, TYPED);
      },
      failed: () => {
        if (text === this.draft) this.#ask(text, TYPED);
      },
    });
  }

  /** Learns the parts of the query that is asked. One with pipes can only then be asked. */
  #parse(): void {
    const { query } = this;
    this.#parts.replace({
      key: query,
      load: (signal) => {
        const request = { case: this.#casePath, query, kql: false };
        return this.#client.call('check', request, { signal });
      },
      done: (check) => {
        this.parts = partsOf(query, check);
        if (mayHaveStages(query)) this.#requestAgain();
        this.#toResult();
      },
      failed: (cause) => this.#failed(engineError(cause)),
    });
  }

  #ask(text: string, kind: string | null): void {
    this.#typing.stop();
    this.#write(text);
    const query = text.trim();
    if (query !== this.query) this.history.change({ query }, kind);
    else if (this.failure !== null || this.queryError !== null) this.#requestAgain();
  }

  #write(draft: string): void {
    this.draft = draft;
    this.#storage.write('draft', draft);
  }

  #changed(after: ViewState, before: ViewState): void {
    this.#storage.write('view', this.history.text);
    if (after.query !== before.query && after.query !== this.draft.trim()) {
      this.#typing.stop();
      this.#write(after.query);
    }
    if (after.query !== before.query) this.#parse();
    const isKnown = after.query === this.parts.query || !mayHaveStages(after.query);
    const moved = after.query !== before.query || !sameRange(after.range, before.range);
    const listed =
      after.order !== before.order ||
      after.sort !== before.sort ||
      after.columns !== before.columns;
    if (moved && isKnown) this.#requestAgain();
    else if (listed) this.#viewChanged('list');
  }

  #requestAgain(): void {
    this.#load('replace');
    this.#viewChanged('all');
  }

  #load(how: 'replace' | 'follow'): void {
    // Before the screen has said how wide it is, any answer would be thrown away.
    if (this.#buckets === 0) return;
    const view = this.view;
    const { range } = this;
    const buckets = this.#buckets;
    const key = JSON.stringify(view);
    this.#latest[how]({
      key: `${key} ${buckets} ${this.#epoch}`,
      load: async (signal) => {
        const wire = await this.#client.call(
          'timeline',
          { view, buckets },
          {
            signal,
            progress: (partial) => {
              if (!signal.aborted) this.#showPartial(timelineData(key, range, partial));
            },
          },
        );
        return timelineData(key, range, wire);
      },
      done: (data) => {
        this.timeline = data;
        this.queryError = null;
        this.failure = null;
      },
      failed: (cause) => this.#failed(engineError(cause)),
    });
  }

  /** A partial answer replaces another view's, but never a fuller answer to the same question. */
  #showPartial(data: TimelineData): void {
    const shown = this.timeline;
    const fuller = shown?.key === data.key && shown.fraction >= data.fraction;
    if (!fuller) this.timeline = data;
  }

  #failed(error: EngineError): void {
    if (error.code === 'cancelled') return;
    if (error.code === 'queryInvalid') this.queryError = error;
    else this.failure = error;
  }
}
