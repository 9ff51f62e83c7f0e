import { Latest } from '../../base/latest';
import type { Lifetime } from '../../base/lifetime';
import { asTime, timeFromNanos, type TimeRange } from '../../base/time';
import type { Client } from '../../ipc/client';
import type { CaseSummary, Facets, Fields, KnownField } from '../../ipc/generated';
import { byCoverage } from '../fields/coverage';
import type { ViewHistory } from '../view/history.svelte';
import type { Json } from '../view/viewstate';
import type { FieldInfo } from './autochart';
import { Chart } from './chart.svelte';
import { keptSpec, specOf, type ChartSpec } from './chartspec';

/** The charts' part of the view: the current chart, and the open board. */
interface StoredCharts {
  readonly chart?: Json;
  /** The result of a query with stages is shown as a chart, or not: as it was chosen for these stages. */
  readonly drawn?: boolean;
  readonly drawnOf?: string;
  readonly board?: string | null;
}

/**
 * This many fields are examined when the charts are shown, those with a known meaning before others, and those that
 * are charted: each takes the engine some milliseconds.
 */
const MOST_EXAMINED = 64;

/** The charts of a case: which one is shown, which fields there are, and which board is open. */
export class Charts {
  /** The fields of the whole case in the order of menus, regardless of the query. */
  fields = $derived.by((): readonly FieldInfo[] =>
    this.#known.map(
      ({ name, kinds, present }) =>
        this.#facts.get(name) ?? { field: name, kinds, distinct: null, present },
    ),
  );
  /** Increases with the case. */
  epoch = $state(0);
  readonly main: Chart;

  readonly #client: Client;
  readonly #casePath: string;
  readonly #history: ViewHistory;
  readonly #listing: Latest<Fields>;
  readonly #examining: Latest<Facets>;
  #known = $state.raw<readonly KnownField[]>([]);
  #facts = $state.raw<ReadonlyMap<string, FieldInfo>>(new Map());
  /** Fields to examine, and those that are examined for the epoch of the list. */
  readonly #wanted = new Set<string>();
  readonly #examined = new Set<string>();
  #watchers = 0;
  #loaded = -1;

  constructor(lifetime: Lifetime, client: Client, casePath: string, history: ViewHistory) {
    this.#listing = new Latest(lifetime);
    this.#examining = new Latest(lifetime);
    this.#client = client;
    this.#casePath = casePath;
    this.#history = history;
    this.main = new Chart(lifetime, client);
  }

  /** A chart next to the main one, such as one of a board. */
  addChart(lifetime: Lifetime): Chart {
    return new Chart(lifetime, this.#client);
  }

  get spec(): ChartSpec {
    return specOf(this.#kept.chart);
  }

  get board(): string | null {
    return this.#kept.board ?? null;
  }

  /**
   * Whether the result of stages is shown as a chart instead of a table: as it was chosen for them,
   * otherwise a `timechart` is.
   */
  isDrawn(stages: string, isTimechart: boolean): boolean {
    const { drawn, drawnOf } = this.#kept;
    if (drawn === undefined || (drawnOf ?? stages) !== stages) return isTimechart;
    return drawn;
  }

  showResult(drawn: boolean, stages: string): void {
    this.#history.change({ charts: { ...this.#kept, drawn, drawnOf: stages } });
  }

  change(part: Partial<ChartSpec>): void {
    this.show({ ...this.spec, ...part });
  }

  /** Shows a chart in the Charts tab, in place of a board. */
  show(spec: ChartSpec): void {
    const { drawn, drawnOf } = this.#kept;
    const chosen =
      drawn === undefined ? {} : { drawn, ...(drawnOf === undefined ? {} : { drawnOf }) };
    this.#history.change({ charts: { ...chosen, chart: keptSpec(spec) }, tab: 'charts' });
  }

  /** Charts a field with one click. */
  chartField(field: string): void {
    this.show(specOf({ field }));
  }

  /** The charts' part of the view with the board closed: what a result is shown in. */
  get withoutBoard(): Json {
    return { ...this.#kept, board: null };
  }

  openBoard(id: string | null): void {
    this.#history.change({ charts: { ...this.#kept, board: id } });
  }

  /** Examines the fields of a chart: how many values they have. */
  examine(fields: readonly (string | null)[]): void {
    const names = fields.filter((name) => this.#known.some((known) => known.name === name));
    for (const name of names) this.#wanted.add(name!);
    this.#examine();
  }

  info(field: string | null): FieldInfo | undefined {
    return this.fields.find((info) => info.field === field);
  }

  /** Loads the fields while a component is on the screen. Returns what ends that. */
  watch(): () => void {
    this.#watchers += 1;
    this.#load();
    return () => void (this.#watchers -= 1);
  }

  refresh(epoch: number): void {
    this.epoch = epoch;
    this.#load();
  }

  get #kept(): StoredCharts {
    const { charts } = this.#history.current;
    return typeof charts === 'object' && charts !== null && !Array.isArray(charts)
      ? (charts as StoredCharts)
      : {};
  }

  #load(): void {
    if (this.#watchers === 0 || this.#loaded === this.epoch) return;
    const { epoch } = this;
    this.#listing.follow({
      key: String(epoch),
      load: (signal) => this.#client.call('fields', { path: this.#casePath }, { signal }),
      done: ({ fields }) => {
        this.#known = byCoverage(fields);
        this.#loaded = epoch;
        this.#examined.clear();
        const [telling, others] = [true, false].map((tells) =>
          this.#known.filter(({ ecs }) => (ecs !== null) === tells),
        );
        const examined = [...telling!, ...others!].slice(0, MOST_EXAMINED);
        for (const { name } of examined) this.#wanted.add(name);
        this.#examine();
      },
      // Without the list of fields a chart can still be shown; the next attempt may succeed.
      failed: () => {},
    });
  }

  #examine(): void {
    const names = [...this.#wanted].filter((name) => !this.#examined.has(name));
    if (names.length === 0) return;
    const epoch = this.#loaded;
    const view = { case: this.#casePath, query: '', from: null, to: null };
    this.#examining.follow({
      key: `${epoch} ${names.join(' ')}`,
      load: (signal) =>
        this.#client.call('facets', { view, fields: names, top: 0, buckets: 1 }, { signal }),
      done: ({ fields }) => {
        const infos = fields.map((info): [string, FieldInfo] => [info.field, info]);
        this.#facts = new Map([...this.#facts, ...infos]);
        if (epoch === this.#loaded) for (const name of names) this.#examined.add(name);
      },
      // The name and type of a field are enough for a chart of it.
      failed: () => {},
    });
  }
}

/** The time range of a chart: the requested range, otherwise the whole case. */
export function domainOf(range: TimeRange | null, summary: CaseSummary): TimeRange {
  if (range !== null) return { from: range.from, to: range.to };
  const from = timeFromNanos(summary.first ?? '0');
  const last = timeFromNanos(summary.last ?? '0');
  return { from, to: asTime(last + 1n) };
}
