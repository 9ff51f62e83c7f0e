/** Fields that are worth a chart with one click: durations, outcomes, who and where. */
import { isNumeric, type FieldInfo } from '../../state/charts/autochart';
import { isDuration } from '../../state/charts/units';

const MOST = 4;
/** Fields with more values than this are ids and texts, which are not useful in a chart. */
const MOST_VALUES = 500;
/** A field that fewer events have than one in so many of the most common one says little about the case. */
const RARE = 20;

export function suggestions(fields: readonly FieldInfo[]): string[] {
  const most = Math.max(0, ...fields.map(({ present }) => present ?? 0));
  const common = fields.filter(({ present }) => present === null || present * RARE >= most);
  const durations = common.filter((info) => isNumeric(info) && isDuration(info.field));
  const names = common.filter(
    ({ distinct }) => distinct !== null && distinct > 1 && distinct <= MOST_VALUES,
  );
  const few = names.toSorted((a, b) => (a.distinct ?? 0) - (b.distinct ?? 0));
  return [...new Set([...durations, ...few].map(({ field }) => field))].slice(0, MOST);
}
