import type { Lifetime } from '../../base/lifetime';
import { asTime, timeFromNanos, type TimeRange } from '../../base/time';
import type { Client } from '../../ipc/client';
import type { CaseSummary, FieldList, KnownField } from '../../ipc/generated';
import { byCoverage } from '../fields/coverage';
import { Request } from '../request.svelte';
import type { ViewHistory } from '../view/history.svelte';
import type { Json, ViewState } from '../view/viewstate';
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
        this.#facts.value?.get(name) ?? { field: name, kinds, distinct: null, present },
    ),
  );
  readonly main: Chart;

  readonly #client: Client;
  readonly #history: ViewHistory;
  /** Without the list of fields a chart can still be shown. */
  readonly #listing: Request<string, FieldList>;
  readonly #known = $derived.by((): readonly KnownField[] =>
    byCoverage(this.#listing.value?.fields ?? []),
  );
  /** The facts of the examined fields; name and type are enough for a chart of one. */
  readonly #facts: Request<readonly string[], ReadonlyMap<string, FieldInfo>>;
  /** Fields to examine. */
  readonly #wanted = new Set<string>();
  #watchers = 0;

  constructor(lifetime: Lifetime, client: Client, casePath: string, history: ViewHistory) {
    const view = { case: casePath, query: '', from: null, to: null };
    /** When each field was examined. */
    const examined = new Map<string, number>();
    this.#facts = new Request(lifetime, async (names, { signal }) => {
      const { epoch } = lifetime;
      const fields = names.filter((name) => examined.get(name) !== epoch);
      const request = { view, fields, top: 0, buckets: 1 };
      const found = await client.call('facets', request, { signal });
      for (const name of fields) examined.set(name, epoch);
      const infos = found.fields.map((info): [string, FieldInfo] => [info.field, info]);
      return new Map([...(this.#facts.value ?? []), ...infos]);
    });
    this.#listing = new Request(
      lifetime,
      async (path, { signal }) => {
        const found = await client.call('fields', { path }, { signal });
        const known = byCoverage(found.fields);
        const [telling, others] = [true, false].map((tells) =>
          known.filter(({ ecs }) => (ecs !== null) === tells),
        );
        const first = [...telling!, ...others!].slice(0, MOST_EXAMINED);
        for (const { name } of first) this.#wanted.add(name);
        if (!signal.aborted) this.#facts.ask([...this.#wanted], 'follow');
        return found;
      },
      { onlyShown: true },
    );
    this.#listing.ask(casePath);
    this.#client = client;
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

  /** Shows a chart in the Charts tab, in place of a board, and changes another part of the view with it. */
  show(spec: ChartSpec, part: Partial<ViewState> = {}): void {
    const { drawn, drawnOf } = this.#kept;
    const chosen =
      drawn === undefined ? {} : { drawn, ...(drawnOf === undefined ? {} : { drawnOf }) };
    this.#history.change({ ...part, charts: { ...chosen, chart: keptSpec(spec) }, tab: 'charts' });
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
    if (names.every((name) => this.#wanted.has(name!))) return;
    for (const name of names) this.#wanted.add(name!);
    this.#facts.ask([...this.#wanted], 'follow');
  }

  info(field: string | null): FieldInfo | undefined {
    return this.fields.find((info) => info.field === field);
  }

  /** Loads the fields while a component is on the screen. Returns what ends that. */
  watch(): () => void {
    this.#watchers += 1;
    this.#listing.shown = true;
    // The facts that were stopped with the last watcher are asked again.
    if (this.#wanted.size > 0) this.#facts.ask([...this.#wanted], 'follow');
    return () => {
      this.#watchers -= 1;
      this.#listing.shown = this.#watchers > 0;
      if (this.#watchers === 0) this.#facts.stop();
    };
  }

  get #kept(): StoredCharts {
    const { charts } = this.#history.current;
    return typeof charts === 'object' && charts !== null && !Array.isArray(charts)
      ? (charts as StoredCharts)
      : {};
  }
}

/** The time range of a chart: the requested range, otherwise the whole case. */
export function domainOf(range: TimeRange | null, summary: CaseSummary): TimeRange {
  if (range !== null) return { from: range.from, to: range.to };
  const from = timeFromNanos(summary.first ?? '0');
  const last = timeFromNanos(summary.last ?? '0');
  return { from, to: asTime(last + 1n) };
}
