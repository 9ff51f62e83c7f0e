import { Latest } from '../../base/latest';
import { asTime, timeFromNanos, type TimeRange } from '../../base/time';
import type { Client } from '../../ipc/client';
import type { CaseSummary, Facets } from '../../ipc/generated';
import type { ViewHistory } from '../view.svelte';
import type { Json } from '../viewstate';
import type { FieldInfo } from './automatic';
import { Chart } from './chart.svelte';
import { keptSpec, specOf, type ChartSpec } from './spec';

/** What of the view is the charts': the chart being made, and the board that is open instead. */
interface Kept {
  readonly chart?: Json;
  /** The result of a query with stages is drawn. */
  readonly drawn?: boolean;
  readonly board?: string | null;
}

/** The charts of a case: which one is shown, which fields there are, and which board is open. */
export class Charts {
  /** The fields of the whole case, whatever the query leaves of them. */
  fields = $state.raw<readonly FieldInfo[]>([]);
  /** Grows with the case. */
  epoch = $state(0);
  readonly main: Chart;

  readonly #client: Client;
  readonly #casePath: string;
  readonly #history: ViewHistory;
  readonly #latest = new Latest<Facets>();
  #watchers = 0;
  #loaded = -1;

  constructor(client: Client, casePath: string, history: ViewHistory) {
    this.#client = client;
    this.#casePath = casePath;
    this.#history = history;
    this.main = new Chart(client);
  }

  /** Another chart beside the main one, such as one of a board. */
  another(): Chart {
    return new Chart(this.#client);
  }

  get spec(): ChartSpec {
    return specOf(this.#kept.chart);
  }

  get board(): string | null {
    return this.#kept.board ?? null;
  }

  /** Whether the result of a query with stages is drawn instead of listed. */
  get resultAsChart(): boolean {
    return this.#kept.drawn === true;
  }

  showResult(drawn: boolean): void {
    this.#history.change({ charts: { ...this.#kept, drawn } });
  }

  change(part: Partial<ChartSpec>): void {
    this.show({ ...this.spec, ...part });
  }

  /** Shows a chart in the Charts tab, in place of a board. */
  show(spec: ChartSpec): void {
    const drawn = this.resultAsChart ? { drawn: true } : {};
    this.#history.change({ charts: { ...drawn, chart: keptSpec(spec) }, tab: 'charts' });
  }

  /** One click on a field is a chart of it. */
  chartField(field: string): void {
    this.show(specOf({ field }));
  }

  openBoard(id: string | null): void {
    this.#history.change({ charts: { ...this.#kept, board: id } });
  }

  info(field: string | null): FieldInfo | undefined {
    return this.fields.find((info) => info.field === field);
  }

  /** Fields are looked for while somebody looks. Returns what ends that. */
  watch(): () => void {
    this.#watchers += 1;
    this.#load();
    return () => void (this.#watchers -= 1);
  }

  refresh(epoch: number): void {
    this.epoch = epoch;
    this.#load();
  }

  dispose(): void {
    this.#latest.stop();
    this.main.stop();
  }

  get #kept(): Kept {
    const { charts } = this.#history.current;
    return typeof charts === 'object' && charts !== null && !Array.isArray(charts)
      ? (charts as Kept)
      : {};
  }

  #load(): void {
    if (this.#watchers === 0 || this.#loaded === this.epoch) return;
    const { epoch } = this;
    const view = { case: this.#casePath, query: '', from: null, to: null };
    this.#latest.follow({
      key: String(epoch),
      load: (signal) =>
        this.#client.call('facets', { view, fields: [], top: 0, buckets: 1 }, { signal }),
      done: ({ fields }) => {
        this.fields = fields;
        this.#loaded = epoch;
      },
      // Without the list of fields a chart can still be shown; the next look may succeed.
      failed: () => {},
    });
  }
}

/** The stretch of time that a chart shows: the range that was asked for, else all of the case. */
export function domainOf(range: TimeRange | null, summary: CaseSummary): TimeRange {
  if (range !== null) return { from: range.from, to: range.to };
  const from = timeFromNanos(summary.first ?? '0');
  const last = timeFromNanos(summary.last ?? '0');
  return { from, to: asTime(last + 1n) };
}
