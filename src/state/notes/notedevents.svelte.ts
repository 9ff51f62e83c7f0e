import type { Lifetime } from '../../base/lifetime';
import { timeFromNanos, type Time } from '../../base/time';
import type { Client } from '../../ipc/client';
import type { EventId, Evidence, Note } from '../../ipc/generated';
import { Request, SLOWLY } from '../request.svelte';
import type { Notes, TargetNotes } from './notes.svelte';
import { eventKey, isSpan, type NoteSpan } from './notetarget';

/** Events per request. The engine takes more; a longer list is cut. */
export const MOST_SHOWN = 2_000;

/** One entry in the list of notes: an event, a time range, or a marker. */
export interface NoteEntry {
  readonly key: string;
  readonly time: Time | null;
  readonly event: EventId | null;
  readonly evidence: Evidence | null;
  readonly span: NoteSpan | null;
  readonly said: TargetNotes | null;
  readonly marker: Note | null;
}

/** The filter of the list: all, starred, markers, or those with a tag. */
export type Narrowed = 'all' | 'stars' | 'markers' | { readonly tag: string };

const NO_EVIDENCE: ReadonlyMap<string, Evidence | null> = new Map();

/** The events with notes and their text, requested while the list is shown. */
export class NotedEvents extends Request<readonly EventId[], ReadonlyMap<string, Evidence | null>> {
  constructor(lifetime: Lifetime, client: Client, casePath: string) {
    super(
      lifetime,
      async (events, { signal }) => {
        const request = { case: casePath, events: [...events] };
        const found = await client.call('evidence', request, { signal });
        return new Map(events.map((event, at) => [eventKey(event), found.events[at] ?? null]));
      },
      SLOWLY,
    );
  }

  get evidence(): ReadonlyMap<string, Evidence | null> {
    return this.value ?? NO_EVIDENCE;
  }

  show(events: readonly EventId[]): void {
    if (events.length > 0) this.ask(events.slice(0, MOST_SHOWN), 'follow');
  }
}

/** All notes by time; those without a time come first, as in the event list. */
export function entries(
  notes: Notes,
  evidence: ReadonlyMap<string, Evidence | null>,
  narrowed: Narrowed,
): NoteEntry[] {
  const found: NoteEntry[] = [];
  for (const [key, said] of notes.byTarget) {
    if (narrowed === 'markers') continue;
    if (narrowed === 'stars' && said.star === null) continue;
    if (typeof narrowed === 'object' && !said.tags.some(({ text }) => text === narrowed.tag))
      continue;
    const { target } = said;
    const span = isSpan(target) ? target : null;
    const event = isSpan(target) ? null : target;
    const shown = evidence.get(key) ?? null;
    const time = span?.from ?? shown?.row.time ?? null;
    found.push({
      key,
      time: time === null ? null : timeFromNanos(time),
      event,
      evidence: shown,
      span,
      said,
      marker: null,
    });
  }
  if (narrowed === 'all' || narrowed === 'markers') {
    for (const marker of notes.ofKind('marker')) {
      const { from, to } = marker;
      const time = from === null ? null : timeFromNanos(from);
      const span = from === null || to === null ? null : { from, to };
      const key = `marker ${marker.id}`;
      found.push({ key, time, event: null, evidence: null, span, said: null, marker });
    }
  }
  const rank = ({ time }: NoteEntry) => time ?? null;
  return found.sort((a, b) => {
    const [left, right] = [rank(a), rank(b)];
    if (left === right) return a.key < b.key ? -1 : 1;
    if (left === null) return -1;
    if (right === null) return 1;
    return left < right ? -1 : 1;
  });
}
