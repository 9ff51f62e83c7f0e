import type { Lifetime } from '../../base/lifetime';
import { asTime, DAY, nanosFromTime, timeFromNanos, type TimeRange } from '../../base/time';
import type { Client } from '../../ipc/client';
import type {
  Granularity,
  Nanos,
  Pattern,
  Patterns,
  PatternsRequest,
  Row,
  View,
} from '../../ipc/generated';
import { Request } from '../request.svelte';
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

/** An expanded pattern. */
export interface PatternDetails {
  readonly pattern: Pattern | null;
  readonly examples: readonly Row[];
}

/** The patterns of the messages in view, requested only while they are shown. */
export class Templates extends Request<PatternsRequest, Patterns> {
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
  readonly details: Request<PatternsRequest, PatternDetails>;

  readonly #naming: Request<PatternsRequest, Patterns>;
  /** The texts of templates by id, as far as they were seen. */
  #texts = $state.raw<ReadonlyMap<string, string>>(new Map());
  #view: View | null = null;

  constructor(lifetime: Lifetime, client: Client) {
    super(
      lifetime,
      (asked, { signal, show }) =>
        client.call('patterns', asked, {
          signal,
          progress: (part) => show(part, part.fraction),
        }),
      { onlyShown: true },
    );
    this.details = new Request(lifetime, async (asked, { signal }) => {
      const { patterns } = await client.call('patterns', asked, { signal });
      const pattern = patterns.find(({ id }) => asked.variables.includes(id)) ?? null;
      const request = { case: asked.view.case, ids: pattern?.examples ?? [] };
      const { events } = await client.call('events', request, { signal });
      return { pattern, examples: events.map(({ row }) => row) };
    });
    this.#naming = new Request(
      lifetime,
      (asked, { signal }) => client.call('patterns', asked, { signal }),
      { ignoresGrowth: true },
    );
  }

  show(view: View): void {
    this.#view = view;
    this.fold();
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
    this.details.forget();
  }

  unfold(id: string): void {
    const isOpen = this.unfolded === id;
    this.fold();
    const view = this.#view;
    if (isOpen) return;
    this.unfolded = id;
    if (view !== null) this.details.ask({ ...this.#request(view, [id]), examples: EXAMPLES });
  }

  /** The template that a clause of a query filters by; null if its text is not known. */
  named(clause: string): Pick<Pattern, 'id' | 'text'> | null {
    const [, letter = '', hash = ''] = CLAUSE.exec(clause) ?? [];
    const [id, text] = [letter + hash, this.#texts.get(letter + hash)];
    return text === undefined ? null : { id, text };
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
    void this.#naming.answer(request).then((found) => {
      const pattern = found?.patterns[0];
      // The template may show another of its ids by now.
      if (pattern !== undefined) this.#remember([{ ...pattern, id }]);
    });
  }

  protected override arrived({ patterns }: Patterns): void {
    this.#remember(patterns);
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
    if (this.#view !== null) this.ask(this.#request(this.#view, []));
  }
}
