/** The query whose result is exported: the matching events in the columns and the order of the list. */
import { withStages } from '../query/querytext';
import type { ViewState } from '../view/viewstate';

/**
 * Without chosen columns all fields are exported. The best match has no column to sort by, so those
 * events stay in the order of their times.
 */
export function exportedQuery(
  filter: string,
  { columns, order, sort }: Pick<ViewState, 'columns' | 'order' | 'sort'>,
  fields: ReadonlySet<string>,
): string {
  const stages: string[] = [];
  if (sort !== null && fields.has(sort.field))
    stages.push(`sort ${sort.descending ? '-' : ''}${name(sort.field)}`);
  else if (sort === null && order === 'newestFirst') stages.push('sort -time');
  // A view that was made for another case can have columns that this one does not know.
  const known = columns.map(({ field }) => field).filter((field) => fields.has(field));
  if (known.length > 0) stages.push(`keep ${known.map(name).join(', ')}`);
  if (stages.length === 0) return filter;
  return withStages(filter.trim() === '' ? '*' : filter, `| ${stages.join(' | ')}`);
}

/** The name of a column in a stage: between backticks, where no character means anything else. */
function name(field: string): string {
  return /^[a-z_]+$/.test(field) ? field : `\`${field.replace(/[\\`]/g, '\\$&')}\``;
}
