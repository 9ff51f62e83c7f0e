/** A number over time as a heatmap, with its percentiles as lines. */
import { texts } from '../../base/texts';
import type { Aggregate } from '../../ipc/generated';
import { orNote, timeBy, timesOf, answerMeta, type ChartLoad } from './chartrequest';
import type { HeatData, Series } from './chartdata';
import { loadPercentiles } from './overtime';
import { unitOf } from './units';

/** Bins of the numbers: fine enough to see bands, coarse enough to see each cell. */
const BINS = 48;

export async function loadHeat(asking: ChartLoad): Promise<HeatData> {
  const { chart } = asking;
  const field = chart.field ?? '';
  const bins = { kind: chart.scale, most: BINS } as const;
  const shaped = (
    answer: Aggregate,
    lines: readonly Series[],
    notes: readonly string[],
  ): HeatData => {
    const axis = answer.axes.find((axis) => axis.kind === 'bins');
    return {
      shape: 'heat',
      meta: answerMeta(answer, notes),
      field,
      edges: timesOf(answer),
      domain: asking.domain,
      bins: axis?.edges ?? [],
      counts: answer.counts,
      lines,
      unit: unitOf(field),
      scale: chart.scale,
    };
  };
  const partial = (answer: Aggregate) => asking.show(shaped(answer, [], []));
  const [main, [lines, notes]] = await Promise.all([
    asking.ask([timeBy(asking), { kind: 'bins', field, bins }], [], { partial }),
    orNote(loadPercentiles(asking, field), texts.charts.noPercentiles),
  ]);
  return shaped(main, lines ?? [], notes);
}
