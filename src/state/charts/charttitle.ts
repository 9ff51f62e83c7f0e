/** The default title of a chart. */
import { texts } from '../../base/texts';
import type { ResolvedSpec } from './autochart';

export function titleOf({ kind, measure, field, split }: ResolvedSpec): string {
  const { titles, measures } = texts.charts;
  const withSplit = (text: string) => (split === null ? text : titles.by(text, split));
  if (kind === 'heatmap') return titles.overTime(field ?? '');
  if (kind === 'histogram') return withSplit(titles.histogram(field ?? ''));
  if (kind === 'top' && split === null) return titles.top(field ?? '');
  const name = measures[measure];
  const counted = measure === 'count' || measure === 'rate' || field === null;
  const figure = counted ? name : titles.measured(name, field);
  return withSplit(kind === 'top' ? figure : titles.overTime(figure));
}
