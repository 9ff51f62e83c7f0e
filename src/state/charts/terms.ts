/** The values of a field, by event count or by a measure of their events. */
import { texts } from '../../base/texts';
import type { Aggregate } from '../../ipc/generated';
import {
  orNote,
  figures,
  measures,
  MISSING,
  OTHER,
  termCellsOf,
  shiftOf,
  answerMeta,
  type ChartLoad,
} from './chartrequest';
import type { TermRow, TermsData } from './chartdata';
import type { MeasureName } from './chartspec';

/** By a measure any value can be the largest, so the largest are searched among this many. */
const CONSIDERED = 1_000;

export async function loadTerms(asking: ChartLoad): Promise<TermsData> {
  const { chart } = asking;
  const field = chart.split ?? chart.field ?? '';
  const measure: MeasureName = chart.measure === 'percentiles' ? 'p95' : chart.measure;
  const asked = chart.split === null && measure !== 'rate' ? [] : measures(measure, chart.field);
  const shown: MeasureName = asked.length === 0 ? 'count' : measure;
  const considered = shown === 'count' || shown === 'rate' ? chart.top : CONSIDERED;
  const terms = (top: number) => ({ kind: 'terms', field, top, order: 'most' }) as const;
  const partial = (answer: Aggregate) => {
    if (shown === 'count') asking.show(shaped(asking, field, shown, considered, answer, null, []));
  };
  const main = await asking.ask([terms(considered)], asked, { partial });
  const shift = shiftOf(asking);
  const [before, notes] =
    shift === null
      ? [null, []]
      : await orNote(asking.ask([terms(CONSIDERED)], asked, { shift }), texts.charts.noShift);
  return shaped(asking, field, shown, considered, main, before, notes);
}

function shaped(
  { chart }: ChartLoad,
  field: string,
  measure: MeasureName,
  considered: number,
  main: Aggregate,
  before: Aggregate | null,
  notes: readonly string[],
): TermsData {
  const axis = main.axes.find((axis) => axis.kind === 'terms');
  const then = before === null ? null : earlier(before, measure);
  const values = figures(main, measure);
  const all = (axis === undefined ? [] : termCellsOf(axis)).map((place, at): TermRow => ({
    ...place,
    value: values[at] ?? null,
    count: main.counts[at] ?? 0,
    before: place.id === OTHER ? null : (then?.get(place.id) ?? null),
  }));
  const named = all.filter(({ filter, count }) => filter !== null && count !== 0);
  const kept = named.toSorted((a, b) => (b.value ?? -Infinity) - (a.value ?? -Infinity));
  const rest = all.filter(({ id, count }) => (id === OTHER || id === MISSING) && count !== 0);
  const listed = kept.slice(0, chart.top);
  return {
    shape: 'terms',
    meta: answerMeta(main, notes),
    field,
    // A measure of "all others" would only cover those that were not considered.
    rows: [...listed, ...(measure === 'count' ? rest : [])],
    distinct: axis?.distinct ?? 0,
    considered,
    compared: before !== null,
    unit: measure === 'count' ? 'plain' : chart.unit,
    measureName:
      measure === 'count' || measure === 'rate'
        ? texts.charts.measures[measure]
        : `${measure}(${chart.field})`,
  };
}

function earlier(before: Aggregate, measure: MeasureName): Map<string, number | null> {
  const axis = before.axes.find((axis) => axis.kind === 'terms');
  const values = figures(before, measure);
  const places = axis === undefined ? [] : termCellsOf(axis);
  return new Map(places.map(({ id }, at) => [id, values[at] ?? null]));
}
