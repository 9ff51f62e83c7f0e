/** Steps of the work that open a tab: what stands around an event, and where a value was seen. */
import { texts } from '../../base/texts';
import type { EventId, Row } from '../../ipc/generated';
import type { FollowUp, Json } from '../view/viewstate';

/** More of a value does not fit a tab. */
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

/** The event that a tab is about; null where a shared view says something else. */
export function eventOf(about: Json): EventId | null {
  if (typeof about !== 'object' || about === null || !('source' in about)) return null;
  const { source, offset } = about as { source?: Json; offset?: Json };
  return typeof source === 'number' && typeof offset === 'number' ? { source, offset } : null;
}
