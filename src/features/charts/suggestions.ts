/** Fields that are worth a chart with one click: durations, outcomes, who and where. */
import { isNumeric, type FieldInfo } from '../../state/charts/autochart';
import { isDuration } from '../../state/charts/units';

const MOST = 4;
/** Fields with more values than this are ids and texts, which are not useful in a chart. */
const MOST_VALUES = 500;

export function suggestions(fields: readonly FieldInfo[]): string[] {
  const durations = fields.filter((info) => isNumeric(info) && isDuration(info.field));
  const names = fields.filter(
    ({ distinct }) => distinct !== null && distinct > 1 && distinct <= MOST_VALUES,
  );
  const few = names.toSorted((a, b) => (a.distinct ?? 0) - (b.distinct ?? 0));
  return [...new Set([...durations, ...few].map(({ field }) => field))].slice(0, MOST);
}
