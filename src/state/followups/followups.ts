/** Follow-up tabs: surrounding events, and occurrences of a value. */
import { texts } from '../../base/texts';
import { timeFromNanos } from '../../base/time';
import type { Clock } from '../../base/zone';
import type { EventId, Nanos, Row } from '../../ipc/generated';
import type { FollowUp, Json } from '../view/viewstate';

/** A longer value does not fit in a tab. */
const TITLE_LETTERS = 32;

export function contextOf(row: Row, title: string): FollowUp {
  const { source, offset } = row.id;
  return {
    id: `context ${source} ${offset}`,
    kind: 'context',
    title: texts.inspect.aroundTitle(title),
    about: { source, offset, time: row.time },
  };
}

/** The title of a tab, with its time in the zone of the view; a tab without one keeps its title. */
export function titleOf({ kind, title, about }: FollowUp, clock: Clock): string {
  const time = kind === 'context' && isMembers(about) ? about['time'] : undefined;
  if (typeof time !== 'string') return title;
  return texts.inspect.aroundTitle(clock.clock(timeFromNanos(time as Nanos)));
}

const isMembers = (about: Json): about is { readonly [name: string]: Json } =>
  typeof about === 'object' && about !== null && !Array.isArray(about);

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
