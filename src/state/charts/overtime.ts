/** Values over time, one line or one per value of a field, with a previous period. */
import { texts } from '../../base/texts';
import { asTime, type Time } from '../../base/time';
import type { Aggregate } from '../../ipc/generated';
import {
  orNote,
  figures,
  measures,
  OTHER,
  PERCENTILES,
  termCellsOf,
  sameBuckets,
  shiftOf,
  splitBy,
  timeBy,
  timesOf,
  answerMeta,
  type ChartLoad,
  type TermCell,
} from './chartrequest';
import type { Earlier, Series, TimeData } from './chartdata';
import type { MeasureName } from './chartspec';

/** Values of the previous period that are requested, so that most of the current ones are among them. */
const EARLIER_TOP_FACTOR = 4;

interface Earlierly {
  readonly shift: bigint;
  readonly overTime: Aggregate;
  readonly whole: Aggregate;
}

export async function loadOverTime(asking: ChartLoad): Promise<TimeData> {
  const { chart } = asking;
  const asked = measures(chart.measure, chart.field);
  const split = chart.split === null ? [] : [splitBy(chart.split, chart.top)];
  const counts = asked.length === 0 || chart.measure === 'rate';
  const partial = (answer: Aggregate) => {
    if (counts) asking.show(shaped(asking, answer, null, null, []));
  };
  const [main, [whole, wholeNotes]] = await Promise.all([
    asking.ask([timeBy(asking), ...split], asked, { partial }),
    orNote(asking.ask(split, asked), texts.charts.noWhole),
  ]);
  const shift = shiftOf(asking);
  if (shift === null) return shaped(asking, main, whole, null, wholeNotes);
  asking.show(shaped(asking, main, whole, null, wholeNotes));
  const top = chart.top * EARLIER_TOP_FACTOR;
  const more = split.map((by) => ({ ...by, top }));
  const [before, notes] = await orNote(
    Promise.all([
      asking.ask([sameBuckets(asking, timesOf(main)), ...more], asked, { shift }),
      asking.ask(more, asked, { shift }),
    ]).then(([overTime, whole]): Earlierly => ({ shift, overTime, whole })),
    texts.charts.noShift,
  );
  return shaped(asking, main, whole, before, [...wholeNotes, ...notes]);
}

function shaped(
  asking: ChartLoad,
  main: Aggregate,
  whole: Aggregate | null,
  before: Earlierly | null,
  notes: readonly string[],
): TimeData {
  const { chart } = asking;
  const moved =
    before === null ? null : timesOf(before.overTime).map((edge) => later(edge, before.shift));
  const names: MeasureName[] =
    chart.measure === 'percentiles' ? ['p50', 'p95', 'p99'] : [chart.measure];
  const lists = names.map((measure, at) => seriesOf(measure, at, main, whole, before));
  const isSplit = chart.split !== null;
  // The percentiles of a value are next to each other.
  const series = lists[0]!.flatMap((_, place) =>
    lists.map((list, at) => {
      const one = list[place]!;
      if (!isSplit || names.length === 1) return one;
      const measure = names[at]!;
      return { ...one, id: `${one.id} ${measure}`, name: `${one.name} ${measure}`, dash: at };
    }),
  );
  const summed = chart.measure === 'count' || chart.measure === 'sum' || chart.measure === 'rate';
  return {
    shape: 'time',
    meta: answerMeta(main, notes),
    edges: timesOf(main),
    domain: asking.domain,
    series: withoutNothing(series),
    unit: chart.unit,
    scale: chart.scale,
    stacked: chart.kind === 'bars' && summed,
    before: moved === null ? null : { edges: moved, shift: before!.shift },
  };
}

function later(time: Time, by: bigint): Time {
  return asTime(time + by);
}

function seriesOf(
  measure: MeasureName,
  at: number,
  main: Aggregate,
  whole: Aggregate | null,
  before: Earlierly | null,
): Series[] {
  const places = placesIn(main, measure, at);
  const overTime = byPlace(main, measure, places.length);
  const wholes = whole === null ? null : figures(whole, measure);
  const earlier = earlierOf(measure, before, places);
  return places.map((place, at) => ({
    ...place,
    values: overTime[at] ?? [],
    whole: wholes?.[at] ?? null,
    before: earlier(place),
  }));
}

/** The cells of the split; without one a single cell, named after the measure. */
function placesIn(answer: Aggregate, measure: MeasureName, at: number): TermCell[] {
  const terms = answer.axes.find((axis) => axis.kind === 'terms');
  if (terms !== undefined) return termCellsOf(terms);
  return [{ id: measure, name: texts.charts.measures[measure], colour: at, filter: null }];
}

/** Values of each cell over time. Rates of a partial answer are computed from its counts. */
function byPlace(answer: Aggregate, measure: MeasureName, places: number): (number | null)[][] {
  const edges = timesOf(answer);
  const unfinished = measure === 'rate' && answer.measured.length === 0;
  const cells = unfinished ? answer.counts : figures(answer, measure);
  const buckets = Math.max(0, edges.length - 1);
  return Array.from({ length: places }, (_, place) =>
    Array.from({ length: buckets }, (_, bucket) => {
      const cell = cells[bucket * places + place] ?? null;
      if (!unfinished || cell === null) return cell;
      return cell / (Number(edges[bucket + 1]! - edges[bucket]!) / 1e9);
    }),
  );
}

function earlierOf(
  measure: MeasureName,
  before: Earlierly | null,
  places: readonly TermCell[],
): (place: TermCell) => Earlier | null {
  if (before === null) return () => null;
  const then = placesIn(before.overTime, measure, 0);
  const overTime = byPlace(before.overTime, measure, then.length);
  const wholes = figures(before.whole, measure);
  // Without a split the single cell of both periods is the same, whatever its name.
  const single = then.length === 1 && places.length === 1;
  return (place) => {
    // "Other" depends on the listed values, which differ between periods.
    if (place.id === OTHER) return null;
    const at = single ? 0 : then.findIndex(({ id }) => id === place.id);
    if (at >= 0) return { values: overTime[at] ?? [], whole: wholes[at] ?? null };
    return null;
  };
}

/** The series of other and missing values are left out if they have no events. */
function withoutNothing(series: readonly Series[]): Series[] {
  const something = (values: readonly (number | null)[]) =>
    values.some((value) => value !== null && value !== 0);
  const isRest = ({ colour }: Series) => colour === 'other' || colour === 'missing';
  return series.filter((one) => !isRest(one) || something(one.values));
}

/** The percentiles that are drawn over a heatmap. */
export async function loadPercentiles(asking: ChartLoad, field: string): Promise<Series[]> {
  const asked = measures('percentiles', field);
  const [overTime, whole] = await Promise.all([
    asking.ask([timeBy(asking)], asked),
    asking.ask([], asked),
  ]);
  return PERCENTILES.map((percent, at) => ({
    id: `p${percent}`,
    name: `p${percent}`,
    colour: at,
    dash: at,
    values: overTime.measured[at]?.values ?? [],
    whole: whole.measured[at]?.values[0] ?? null,
    before: null,
    filter: null,
  }));
}
