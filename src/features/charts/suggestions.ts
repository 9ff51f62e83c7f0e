/** Charts that are worth one click: a duration by service, durations, outcomes, who and where. */
import { texts } from '../../base/texts';
import { specOf, type ChartSpec } from '../../state/charts/chartspec';
import { isNumeric, type FieldInfo } from '../../state/charts/autochart';
import { isDuration } from '../../state/charts/units';

const MOST = 4;
/** Fields with more values than this are ids and texts, which are not useful in a chart. */
const MOST_VALUES = 500;
/** A field that fewer events have than one in so many of the most common one says little about the case. */
const RARE = 20;

/** Names of the part of a system that wrote an event, the usual ones first. */
const SERVICES: readonly string[] = ['service', 'service.name', 'app', 'container', 'host'];

export interface Suggestion {
  readonly label: string;
  readonly spec: ChartSpec;
}

export function suggestions(fields: readonly FieldInfo[]): Suggestion[] {
  const most = Math.max(0, ...fields.map(({ present }) => present ?? 0));
  const common = fields.filter(({ present }) => present === null || present * RARE >= most);
  const durations = common.filter((info) => isNumeric(info) && isDuration(info.field));
  const names = common.filter(
    ({ distinct }) => distinct !== null && distinct > 1 && distinct <= MOST_VALUES,
  );
  const few = names.toSorted((a, b) => (a.distinct ?? 0) - (b.distinct ?? 0));
  const charted = [...new Set([...durations, ...few].map(({ field }) => field))].slice(0, MOST);
  const single = charted.map((field) => ({ label: field, spec: specOf({ field }) }));
  const service = SERVICES.find((name) => common.some(({ field }) => field === name));
  const duration = durations[0]?.field;
  if (service === undefined || duration === undefined) return single;
  const spec = specOf({ kind: 'lines', measure: 'p95', field: duration, split: service });
  return [{ label: texts.charts.percentileBy(duration, service), spec }, ...single];
}
