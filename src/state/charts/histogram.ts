/** A histogram of a number. */
import { texts } from '../../base/texts';
import type { Aggregate } from '../../ipc/generated';
import {
  orNote,
  measures,
  PERCENTILES,
  termCellsOf,
  splitBy,
  answerMeta,
  type ChartLoad,
} from './chartrequest';
import type { BinsData, Series } from './chartdata';
import { unitOf } from './units';

const BINS = 60;

export async function loadHistogram(asking: ChartLoad): Promise<BinsData> {
  const { chart } = asking;
  const field = chart.field ?? '';
  const bins = { kind: 'bins', field, bins: { kind: chart.scale, most: BINS } } as const;
  const split = chart.split === null ? [] : [splitBy(chart.split, chart.top)];
  const partial = (answer: Aggregate) => asking.show(shaped(asking, field, answer, null, []));
  const [main, [marks, notes]] = await Promise.all([
    asking.ask([...split, bins], [], { partial }),
    orNote(asking.ask([], measures('percentiles', field)), texts.charts.noPercentiles),
  ]);
  return shaped(asking, field, main, marks, notes);
}

function shaped(
  { chart }: ChartLoad,
  field: string,
  main: Aggregate,
  marks: Aggregate | null,
  notes: readonly string[],
): BinsData {
  const axis = main.axes.find((axis) => axis.kind === 'bins');
  return {
    shape: 'bins',
    meta: answerMeta(main, notes),
    field,
    bins: axis?.edges ?? [],
    series: seriesOf(main),
    marks: PERCENTILES.flatMap((percent, at) => {
      const value = marks?.measured[at]?.values[0] ?? null;
      return value === null ? [] : [{ name: `p${percent}`, value }];
    }),
    unit: unitOf(field),
    scale: chart.scale,
  };
}

function seriesOf(answer: Aggregate): Series[] {
  const bins = answer.axes.find((axis) => axis.kind === 'bins');
  const terms = answer.axes.find((axis) => axis.kind === 'terms');
  const width = Math.max(0, (bins?.edges.length ?? 0) - 1);
  const all = { id: 'count', name: texts.charts.measures.count, colour: 0, filter: null } as const;
  const places = terms === undefined ? [all] : termCellsOf(terms);
  return places
    .map((place, at) => {
      const values = answer.counts.slice(at * width, (at + 1) * width);
      const whole = values.reduce((sum, count) => sum + count, 0);
      return { ...place, values, whole, before: null };
    })
    .filter(({ whole }) => terms === undefined || whole > 0);
}
