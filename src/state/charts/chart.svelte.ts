import type { Lifetime } from '../../base/lifetime';
import { asTime, nanosFromTime, timeFromNanos, type TimeRange } from '../../base/time';
import type { Client } from '../../ipc/client';
import { keyOf, Request, type Run } from '../request.svelte';
import type { View } from '../../ipc/generated';
import type { ChartLoad } from './chartrequest';
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
}

/** The question of a chart; hidden series and gaps do not change the values. */
const planOf = ({ spec, info }: ChartQuestion): ResolvedSpec =>
  resolveSpec({ ...spec, hidden: [], gaps: null }, info);

/** One chart: its last good answer, and its running request. */
export class Chart extends Request<ChartQuestion, ChartData> {
  /** The spec that the value answers. */
  chosen = $state.raw<ResolvedSpec | null>(null);

  constructor(lifetime: Lifetime, client: Client) {
    super(lifetime, (question, run) => load(client, question, run), {
      key: ({ spec, ...rest }) => keyOf([planOf({ spec, ...rest }), rest]),
    });
  }

  protected override arrived(_: ChartData, question: ChartQuestion): void {
    this.chosen = planOf(question);
  }
}

function load(
  client: Client,
  question: ChartQuestion,
  { signal, show }: Run<ChartData>,
): Promise<ChartData> {
  const { view, domain, buckets, zone, widthNs = null, info } = question;
  const asking: ChartLoad = {
    chart: planOf(question),
    domain,
    buckets,
    zone,
    widthNs,
    ask: (by, measures, { shift, partial } = {}) => {
      const asked = shift === undefined ? view : shifted(view, domain, shift);
      const request = { view: asked, by, measures };
      return client.call('aggregate', request, {
        signal,
        progress: (answer) => partial?.(answer),
      });
    },
    show: (data) => show(data, data.meta.fraction),
  };
  return loadKind(asking, info);
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
