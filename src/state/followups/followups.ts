/** Follow-up tabs: surrounding events, and occurrences of a value. */
import { texts } from '../../base/texts';
import type { EventId, Row } from '../../ipc/generated';
import type { FollowUp, Json } from '../view/viewstate';

/** A longer value does not fit in a tab. */
const TITLE_LETTERS = 32;

export function contextOf(row: Row, title: string): FollowUp {
  const { source, offset } = row.id;
  return {
    id: `context ${source} ${offset}`,
    kind: 'context',
    title: texts.inspect.aroundTitle(title),
    about: { source, offset },
  };
}

export function followOf(value: string): FollowUp {
  const letters = [...value];
  const short = letters.length > TITLE_LETTERS;
  const title = short ? `${letters.slice(0, TITLE_LETTERS).join('')}…` : value;
  return {
    id: `follow ${value}`,
    kind: 'follow',
    title: texts.inspect.followTitle(title),
    about: value,
  };
}

/** The event of a tab; null if a shared view has something else. */
export function eventOf(about: Json): EventId | null {
  if (typeof about !== 'object' || about === null || !('source' in about)) return null;
  const { source, offset } = about as { source?: Json; offset?: Json };
  return typeof source === 'number' && typeof offset === 'number' ? { source, offset } : null;
}
