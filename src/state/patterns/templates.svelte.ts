import { Latest } from '../../base/latest';
import type { Lifetime } from '../../base/lifetime';
import { asTime, DAY, nanosFromTime, timeFromNanos, type TimeRange } from '../../base/time';
import { engineError, type Client, type EngineError } from '../../ipc/client';
import type { Granularity, Nanos, Pattern, Patterns, Row, View } from '../../ipc/generated';
import type { PatternSort } from './patternlist';

/** Listed patterns: more than anyone reads, and few enough to draw at once. */
const LISTED = 200;
/** Patterns that are compared, searched or sorted: as many as the engine lists. */
const ALL = 10_000;
const SPARK_BUCKETS = 48;
/** Example events of an expanded pattern. */
const EXAMPLES = 3;
const VALUES = 8;

/** The filter by comparison with the rest of the time. */
export type Contrast = 'all' | 'new' | 'gone' | 'more' | 'fewer';

/** What the shown time range is compared with. */
export type Baseline = 'rest' | 'before' | 'day' | 'week' | 'chosen';
export const BASELINES: readonly Baseline[] = ['rest', 'before', 'day', 'week', 'chosen'];

/** The times of a baseline; null for all other times. */
export function baselineRange(
  baseline: Baseline,
  shown: TimeRange,
  chosen: TimeRange | null,
): TimeRange | null {
  const earlier = (by: bigint): TimeRange => ({
    from: asTime(shown.from - by),
    to: asTime(shown.to - by),
  });
  if (baseline === 'rest') return null;
  if (baseline === 'chosen') return chosen;
  return earlier(baseline === 'day' ? DAY : baseline === 'week' ? 7n * DAY : shown.to - shown.from);
}

/** A filter on one template, whose id begins with a letter for the granularity. */
const CLAUSE = /\btemplate\s*[:=]+\s*"?([stgf])([0-9a-f]{16})\b/;
const GRANULARITIES: Record<string, Granularity> = {
  s: 'shape',
  t: 'template',
  g: 'group',
  f: 'family',
};

/** The patterns of the messages in view, requested only while they are shown. */
export class Templates {
  answer = $state.raw<Patterns | null>(null);
  busy = $state(false);
  failure = $state.raw<EngineError | null>(null);
  granularity = $state<Granularity>('template');
  /** Words that the listed patterns have in their text or source. */
  search = $state('');
  sort = $state<PatternSort>('usual');
  contrast = $state<Contrast>('all');
  baseline = $state<Baseline>('rest');
  /** The range that a person chose to compare later ones with. */
  chosen = $state.raw<TimeRange | null>(null);
  /** The expanded pattern, with its variable values. */
  unfolded = $state<string | null>(null);
  details = $state.raw<Pattern | null>(null);
  examples = $state.raw<readonly Row[]>([]);

  readonly #client: Client;
  readonly #latest: Latest<Patterns>;
  readonly #detailing: Latest<{ pattern: Pattern | null; rows: readonly Row[] }>;
  readonly #naming: Latest<Patterns>;
  /** The texts of templates by id, as far as they were seen. */
  #texts = $state.raw<ReadonlyMap<string, string>>(new Map());
  #view: View | null = null;
  #epoch = 0;
  #shown = false;

  constructor(lifetime: Lifetime, client: Client) {
    this.#latest = new Latest(lifetime, (busy) => (this.busy = busy));
    this.#detailing = new Latest(lifetime);
    this.#naming = new Latest(lifetime);
    this.#client = client;
  }

  /** Whether the list is on the screen. */
  set shown(shown: boolean) {
    this.#shown = shown;
    if (shown) this.#load();
  }

  show(view: View): void {
    this.#view = view;
    this.fold();
    this.#load();
  }

  /** The case has grown. */
  refresh(epoch: number): void {
    this.#epoch = epoch;
    this.#load();
  }

  cut(granularity: Granularity): void {
    this.granularity = granularity;
    this.fold();
    this.#load();
  }

  compare(contrast: Contrast): void {
    this.contrast = contrast;
    this.fold();
    this.#load();
  }

  find(search: string): void {
    this.#relist(() => (this.search = search));
  }

  sortBy(sort: PatternSort): void {
    this.#relist(() => (this.sort = sort));
  }

  /** All patterns are requested once, not again with each letter. */
  #relist(change: () => void): void {
    const before = this.#isWhole;
    change();
    this.fold();
    if (this.#isWhole !== before) this.#load();
  }

  get #isWhole(): boolean {
    return this.search.trim() !== '' || this.sort !== 'usual';
  }

  compareWith(baseline: Baseline): void {
    this.baseline = baseline;
    this.fold();
    this.#load();
  }

  /** Later time ranges are compared with this one; null for the rest of the time. */
  choose(range: TimeRange | null): void {
    this.chosen = range;
    this.compareWith(range === null ? 'rest' : 'chosen');
  }

  /** The times that a range is compared with; null for all others. */
  against(shown: TimeRange): TimeRange | null {
    return baselineRange(this.baseline, shown, this.chosen);
  }

  fold(): void {
    this.unfolded = null;
    this.details = null;
    this.examples = [];
    this.#detailing.stop();
  }

  unfold(id: string): void {
    if (this.unfolded === id) return this.fold();
    this.unfolded = id;
    this.details = null;
    this.examples = [];
    const view = this.#view;
    if (view === null) return;
    this.#detailing.replace({
      key: `${id} ${JSON.stringify(view)}`,
      load: async (signal) => {
        const request = { ...this.#request(view, [id]), examples: EXAMPLES };
        const { patterns } = await this.#client.call('patterns', request, { signal });
        const pattern = patterns.find((pattern) => pattern.id === id) ?? null;
        const ids = pattern?.examples ?? [];
        const { events } = await this.#client.call('events', { case: view.case, ids }, { signal });
        return { pattern, rows: events.map(({ row }) => row) };
      },
      done: ({ pattern, rows }) => {
        this.details = pattern;
        this.examples = rows;
      },
      failed: () => {},
    });
  }

  /** The text of the template that a clause of a query filters by; null if it is not known. */
  textOf(clause: string): string | null {
    const [, letter = '', hash = ''] = CLAUSE.exec(clause) ?? [];
    return this.#texts.get(letter + hash) ?? null;
  }

  /** Looks up the text of the template that a clause filters by, unless it is known. */
  lookUp(clause: string): void {
    const [, letter = '', hash = ''] = CLAUSE.exec(clause) ?? [];
    const [id, granularity, view] = [letter + hash, GRANULARITIES[letter], this.#view];
    if (granularity === undefined || view === null || this.#texts.has(id)) return;
    const request = {
      view: { ...view, query: `template:${id}`, from: null, to: null },
      granularity,
      limit: 1,
      buckets: 1,
      examples: 0,
      compare: false,
      variables: [],
      values: 1,
    };
    this.#naming.replace({
      key: id,
      load: (signal) => this.#client.call('patterns', request, { signal }),
      done: ({ patterns: [pattern] }) => {
        // The template may show another of its ids by now.
        if (pattern !== undefined) this.#remember([{ ...pattern, id }]);
      },
      failed: () => {},
    });
  }

  #remember(patterns: readonly Pattern[]): void {
    const texts = new Map(this.#texts);
    for (const { id, text } of patterns) texts.set(id, text);
    this.#texts = texts;
  }

  #request(view: View, variables: string[]) {
    const compare = view.from !== null || view.to !== null;
    const shown =
      view.from === null || view.to === null
        ? null
        : { from: timeFromNanos(view.from), to: timeFromNanos(view.to) };
    const against = shown === null ? null : this.against(shown);
    return {
      view,
      ...(against === null
        ? {}
        : {
            against: {
              from: nanosFromTime<Nanos>(against.from),
              to: nanosFromTime<Nanos>(against.to),
            },
          }),
      granularity: this.granularity,
      limit: this.#isWhole || (compare && this.contrast !== 'all') ? ALL : LISTED,
      buckets: SPARK_BUCKETS,
      // The first event names the source.
      examples: 1,
      compare,
      variables,
      values: VALUES,
    };
  }

  #load(): void {
    const view = this.#view;
    if (!this.#shown || view === null) return;
    const request = this.#request(view, []);
    this.#latest.replace({
      key: `${JSON.stringify(request)} ${this.#epoch}`,
      load: (signal) =>
        this.#client.call('patterns', request, {
          signal,
          progress: (partial) => {
            if (!signal.aborted) this.answer = partial;
          },
        }),
      done: (answer) => {
        this.answer = answer;
        this.failure = null;
        this.#remember(answer.patterns);
      },
      failed: (cause) => {
        const error = engineError(cause);
        // Query errors are shown under the query bar.
        if (error.code !== 'cancelled' && error.code !== 'queryInvalid') this.failure = error;
      },
    });
  }
}
