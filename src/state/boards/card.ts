/** The name of a chart of a board, and its events. */
import { texts } from '../../base/texts';
import { visibleLine } from '../../base/visible';
import { resolveSpec, type FieldInfo } from '../charts/autochart';
import { titleOf } from '../charts/charttitle';
import type { BoardChart } from './boards.svelte';

/** Nobody reads more of a filter in a name. */
const NAMED_LETTERS = 80;

export function cardTitle(
  { title, stages, spec }: BoardChart,
  info: FieldInfo | undefined,
): string {
  return title ?? stages?.replace(/^\|\s*/, '') ?? titleOf(resolveSpec(spec, info));
}

/** The title with the filter, which two charts of the same kind differ by. */
export function cardName(chart: BoardChart, info: FieldInfo | undefined): string {
  const [title, filter] = [visibleLine(cardTitle(chart, info)), visibleLine(chart.filter)];
  if (filter === '') return title;
  const cut = filter.length > NAMED_LETTERS ? `${filter.slice(0, NAMED_LETTERS)}…` : filter;
  return texts.charts.titles.of(title, cut);
}

/** The filter of a chart together with that of the view, which is often the one it was made with. */
export function bothFilters(own: string, view: string): string {
  if (own === '' || own === view) return view;
  return view === '' ? own : `(${own}) (${view})`;
}
