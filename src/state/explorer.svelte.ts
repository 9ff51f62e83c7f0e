import { Latest } from '../base/latest';
import { nanosFromTime } from '../base/time';
import { engineError, type Client, type EngineError } from '../ipc/client';
import type { Order, View } from '../ipc/generated';
import { forgetful, type Keep } from './kept';
import { withClause } from './querytext';
import { sameRange, type RangeChoice } from './ranges';
import { timelineData, type TimelineData } from './timelinedata';
import { ViewHistory } from './view.svelte';
import { START, type ViewState } from './viewstate';
import { viewOfText } from './viewtext';

/** A pause this long in typing counts as "done for now". */
const TYPING_PAUSE_MS = 350;

/** Typing is one step of the history, however often it is asked for meanwhile. */
const TYPED = 'typed';

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

  readonly #client: Client;
  readonly #casePath: string;
  readonly #viewChanged: () => void;
  readonly #keep: Keep;
  readonly #latest = new Latest<TimelineData>((busy) => (this.busy = busy));
  #buckets = 0;
  #epoch = 0;
  #typing: ReturnType<typeof setTimeout> | undefined;

  constructor(client: Client, casePath: string, viewChanged: () => void, keep: Keep = forgetful) {
    this.#client = client;
    this.#casePath = casePath;
    this.#viewChanged = viewChanged;
    this.#keep = keep;
    const start = viewOfText(keep.read('view') ?? '') ?? START;
    this.history = new ViewHistory((after, before) => this.#changed(after, before), start);
    this.draft = keep.read('draft') ?? start.query;
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

  /** Whether the query has stages, which make a table of it. */
  get isPiped(): boolean {
    return filterOf(this.query) !== this.query;
  }

  /** What is asked for, without the stages of the query. */
  get view(): View {
    return this.#view(filterOf(this.query));
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

  get isFiltered(): boolean {
    return this.query !== '' || this.range !== null;
  }

  type(text: string): void {
    this.#write(text);
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => this.#ask(text, TYPED), TYPING_PAUSE_MS);
  }

  /** Asks a query at once: Enter, a click on a value. */
  ask(text: string = this.draft): void {
    const typed = text === this.draft;
    this.#ask(text, typed ? TYPED : null);
    this.history.finishStep();
  }

  addClause(field: string, value: string, excluded: boolean): void {
    this.ask(withClause(this.draft, field, value, excluded));
  }

  zoom(range: RangeChoice): void {
    this.history.change({ range });
  }

  toggleOrder(): void {
    const order = this.order === 'oldestFirst' ? 'newestFirst' : 'oldestFirst';
    this.history.change({ order });
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
    this.#askAnew();
  }

  dispose(): void {
    clearTimeout(this.#typing);
    this.#latest.stop();
  }

  #ask(text: string, kind: string | null): void {
    clearTimeout(this.#typing);
    this.#write(text);
    const query = text.trim();
    if (query !== this.query) this.history.change({ query }, kind);
    else if (this.failure !== null || this.queryError !== null) this.#askAnew();
  }

  #write(draft: string): void {
    this.draft = draft;
    this.#keep.write('draft', draft);
  }

  #changed(after: ViewState, before: ViewState): void {
    this.#keep.write('view', this.history.text);
    if (after.query !== before.query && after.query !== this.draft.trim()) {
      clearTimeout(this.#typing);
      this.#write(after.query);
    }
    if (after.query !== before.query || !sameRange(after.range, before.range)) this.#askAnew();
    else if (after.order !== before.order) this.#viewChanged();
  }

  #askAnew(): void {
    this.#load('replace');
    this.#viewChanged();
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

/** What of a query comes before its first pipe. */
function filterOf(query: string): string {
  const part = /"(?:[^"\\]|\\.)*"|`[^`]*`|\/(?:[^/\\]|\\.)*\/|\|\||\||./gsu;
  for (const found of query.matchAll(part)) {
    if (found[0] === '|') return query.slice(0, found.index).trim();
  }
  return query;
}
