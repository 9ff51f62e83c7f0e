/** What can be done with a value that is on the screen, and the query text for it. */
import type { QueryClause } from '../../ipc/generated';
import { beginning, clause, existence, fieldName, quoted } from '../query/querytext';

/** A value as it is in the log, wherever it is displayed. */
export interface SeenValue {
  /** Null for a part of an event's text that is the value of no field. */
  readonly field: string | null;
  /** Null where an event does not have the field. */
  readonly value: string | null;
  /** Whether no filter finds it: a calculated number, a time. */
  readonly isCalculated?: boolean;
  /** Whether the value of the event may go on after this text. */
  readonly isBeginning?: boolean;
}

export type ValueAction =
  'only' | 'without' | 'oneOf' | 'copy' | 'follow' | 'column' | 'chart' | 'compare';

/** A filter with a longer value would come close to the longest query. */
const LONGEST_FILTERED = 110_000;
/** Longer values are texts, and no ids that occur elsewhere. */
const LONGEST_FOLLOWED = 1_000;
/** Fields with so few values that they lead nowhere. */
const UNFOLLOWED = ['level', 'source', 'time', 'line'];

/** The actions that fit a value, in the order of the menu. */
export function actionsOf(seen: SeenValue, isSql = false): ValueAction[] {
  const { field, value, isBeginning = false } = seen;
  const isOfEvent = seen.isCalculated !== true && field !== 'time';
  // A clause would replace a statement of SQL.
  const isFiltered = isOfEvent && !isSql && (value ?? '').length <= LONGEST_FILTERED;
  const isField = isOfEvent && field !== null;
  const when = (fits: boolean, ...actions: ValueAction[]) => (fits ? actions : []);
  return [
    ...when(isFiltered, 'only', 'without'),
    ...when(isFiltered && isField && value !== null && !isBeginning, 'oneOf'),
    ...when(value !== null, 'copy'),
    ...when(isFollowed(seen), 'follow'),
    ...when(isField, 'column', 'chart'),
    ...when(isFiltered, 'compare'),
  ];
}

/** Names of fields whose values are ids, in any spelling: `trace_id`, `requestId`, `span.id`. */
const ID_NAME =
  /(?:^|[._-])(?:id|uuid|guid|trace|span|session|correlation)$|[a-z](?:Id|ID|Uuid|UUID)$/;
/** A UUID, or sixteen or more hexadecimal digits. */
const ID_VALUE = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,})$/i;

export type QuickAction = 'only' | 'without' | 'follow';

/** The actions that need one click: filters, and to follow an id. */
export function quickActions(seen: SeenValue, isSql = false): QuickAction[] {
  const isId = ID_NAME.test(seen.field ?? '') || ID_VALUE.test(seen.value ?? '');
  return actionsOf(seen, isSql).filter(
    (action): action is QuickAction =>
      action === 'only' || action === 'without' || (action === 'follow' && isId),
  );
}

function isFollowed({ field, value, isBeginning = false }: SeenValue): boolean {
  if (value === null || value.trim() === '' || isBeginning) return false;
  if (value.length > LONGEST_FOLLOWED) return false;
  return !UNFOLLOWED.includes(field ?? '') && !/^(true|false|null)$/i.test(value);
}

/** The clause for the events that have a value, or for all others. */
export function filterOf(
  { field, value, isBeginning = false }: SeenValue,
  excluded = false,
  files: readonly string[] = [],
): string {
  if (field === null) return `${excluded ? 'NOT ' : ''}${quoted(value ?? '')}`;
  if (value === null) return `${excluded ? '' : 'NOT '}${existence(field)}`;
  return isBeginning ? beginning(field, value, excluded) : clause(field, value, excluded, files);
}

/** The clauses of a filter without the one for a value: what the events with the value are compared within. */
export function filterWithout(clauses: readonly QueryClause[], seen: SeenValue): string {
  const { field, value } = seen;
  const own = [filterOf(seen), `${fieldName(field ?? '')}=${value}`];
  const others = clauses.filter(({ text }) => text !== '' && text !== '*' && !own.includes(text));
  return others.map(({ text }) => `(${text})`).join(' ');
}
