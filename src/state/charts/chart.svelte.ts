import { Latest } from '../../base/latest';
import type { Lifetime } from '../../base/lifetime';
import { asTime, nanosFromTime, timeFromNanos, type TimeRange } from '../../base/time';
import { engineError, type Client, type EngineError } from '../../ipc/client';
import type { Aggregate, By, Measure, View } from '../../ipc/generated';
import type { AskOptions, ChartLoad } from './chartrequest';
import { resolveSpec, type ResolvedSpec, type FieldInfo } from './autochart';
import type { ChartData } from './chartdata';
import { loadTable } from './valuetable';
import { loadHeat } from './heat';
import { loadHistogram } from './histogram';
import { loadOverTime } from './overtime';
import type { ChartSpec } from './chartspec';
import { loadTerms } from './terms';

/** The request of a chart. */
export interface ChartQuestion {
  readonly view: View;
  readonly spec: ChartSpec;
  readonly info: FieldInfo | undefined;
  /** The time range of the axis. */
  readonly domain: TimeRange;
  readonly buckets: number;
  readonly zone: string | null;
  /** The width of the timeline's buckets, which are also those of the chart. */
  readonly widthNs?: bigint | null;
  /** Increases with the case. */
  readonly epoch: number;
}

/** One chart: its last good answer, and its running request. */
export class Chart {
  data = $state.raw<ChartData | null>(null);
  /** The spec that `data` answers. */
  chosen = $state.raw<ResolvedSpec | null>(null);
  busy = $state(false);
  failure = $state.raw<EngineError | null>(null);

  readonly #client: Client;
  readonly #latest: Latest<ChartData>;
  #asked: { key: string; question: ChartQuestion } | null = null;
  /** The request that `data` answers, regardless of the epoch. */
  #shown = '';

  constructor(lifetime: Lifetime, client: Client) {
    this.#latest = new Latest(lifetime, (busy) => (this.busy = busy));
    this.#client = client;
  }

  show(question: ChartQuestion): void {
    const { epoch, spec, ...rest } = question;
    // Hidden series do not change the values.
    const plan = resolveSpec({ ...spec, hidden: [] }, question.info);
    const key = JSON.stringify([plan, rest], (_, value: unknown) =>
      typeof value === 'bigint' ? value.toString() : value,
    );
    const same = this.#asked?.key === key;
    const grown = same && this.#asked?.question.epoch !== epoch;
    if (same && !grown) return;
    this.#asked = { key, question };
    const task = {
      key: `${key} ${epoch}`,
      load: (signal: AbortSignal) => this.#load(plan, key, question, signal),
      done: (data: ChartData) => {
        this.#put(key, plan, data);
        this.failure = null;
      },
      failed: (cause: unknown) => this.#failed(engineError(cause)),
    };
    if (grown) this.#latest.follow(task);
    else this.#latest.replace(task);
  }

  retry(): void {
    const question = this.#asked?.question;
    this.#asked = null;
    this.failure = null;
    if (question !== undefined) this.show(question);
  }

  stop(): void {
    this.#latest.stop();
    this.#asked = null;
  }

  #put(key: string, plan: ResolvedSpec, data: ChartData): void {
    this.#shown = key;
    this.chosen = plan;
    this.data = data;
  }

  #load(
    plan: ResolvedSpec,
    key: string,
    question: ChartQuestion,
    signal: AbortSignal,
  ): Promise<ChartData> {
    const asking: ChartLoad = {
      chart: plan,
      domain: question.domain,
      buckets: question.buckets,
      zone: question.zone,
      widthNs: question.widthNs ?? null,
      ask: (by, measures, options) => this.#ask(question, by, measures, options ?? {}, signal),
      show: (data) => {
        // A partial answer never replaces a more complete one to the same request.
        const known = this.#shown === key ? (this.data?.meta.fraction ?? 0) : 0;
        if (!signal.aborted && data.meta.fraction >= known) this.#put(key, plan, data);
      },
    };
    return loadKind(asking, question.info);
  }

  #ask(
    { view, domain }: ChartQuestion,
    by: By[],
    measures: Measure[],
    { shift, partial }: AskOptions,
    signal: AbortSignal,
  ): Promise<Aggregate> {
    const asked = shift === undefined ? view : shifted(view, domain, shift);
    return this.#client.call(
      'aggregate',
      { view: asked, by, measures },
      { signal, progress: (answer) => partial?.(answer) },
    );
  }

  #failed(error: EngineError): void {
    // Query errors are shown under the query bar.
    if (error.code !== 'cancelled' && error.code !== 'queryInvalid') this.failure = error;
  }
}

function loadKind(asking: ChartLoad, info: FieldInfo | undefined): Promise<ChartData> {
  switch (asking.chart.kind) {
    case 'heatmap':
      return loadHeat(asking);
    case 'top':
      return loadTerms(asking);
    case 'histogram':
      return loadHistogram(asking);
    case 'table':
      return loadTable(asking, info);
    default:
      return loadOverTime(asking);
  }
}

/** The same view, shifted into the past. Without a range, its ends are those of the case. */
function shifted(view: View, domain: TimeRange, shift: bigint): View {
  const from = view.from === null ? domain.from : timeFromNanos(view.from);
  const to = view.to === null ? domain.to : timeFromNanos(view.to);
  return {
    ...view,
    from: nanosFromTime(asTime(from - shift)),
    to: nanosFromTime(asTime(to - shift)),
  };
}
