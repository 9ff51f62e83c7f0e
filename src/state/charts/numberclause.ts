/** Numbers that were selected in a histogram, as a clause of the query. */
import { fieldName } from '../query/querytext';

/** `bytes:[100 TO 200}`; the last bin includes its end. */
export function numberClause(
  field: string,
  from: number,
  to: number,
  endIncluded: boolean,
): string {
  return `${fieldName(field)}:[${plain(from)} TO ${plain(to)}${endIncluded ? ']' : '}'}`;
}

/** Adds the clause to a query, replacing an earlier one for the same field. */
export function withNumberClause(query: string, field: string, clause: string): string {
  const name = fieldName(field).replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const earlier = new RegExp(`(^|\\s)${name}:\\[\\S+ TO \\S+[\\]}](?=\\s|$)`, 'g');
  const rest = query.replace(earlier, ' ').replace(/\s+/g, ' ').trim();
  if (rest === '') return clause;
  return /(^|\s)(OR|\|\|)(\s|$)/i.test(rest) ? `(${rest}) ${clause}` : `${rest} ${clause}`;
}

/** Without an exponent, which the query language does not have. */
function plain(value: number): string {
  const text = String(value);
  return text.includes('e') ? value.toFixed(value < 1 ? 12 : 0).replace(/(\.\d*?)0+$/, '$1') : text;
}
