import { Latest } from '../../base/latest';
import type { Lifetime } from '../../base/lifetime';
import { timeFromNanos, type Time } from '../../base/time';
import { engineError, type Client, type EngineError } from '../../ipc/client';
import type { EventId, Evidence, Note } from '../../ipc/generated';
import type { Notes, TargetNotes } from './notes.svelte';
import { eventKey, isSpan, type NoteSpan } from './notetarget';

/** Events per request. The engine takes more; a longer list is cut. */
export const MOST_SHOWN = 2_000;

/** One entry in the list of annotations: an event, a time range, or a marker. */
export interface AnnotationEntry {
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

/** The annotated events with their text, requested while the list is shown. */
export class Annotations {
  evidence = $state.raw<ReadonlyMap<string, Evidence | null>>(new Map());
  failure = $state.raw<EngineError | null>(null);

  readonly #client: Client;
  readonly #casePath: string;
  readonly #latest: Latest<ReadonlyMap<string, Evidence | null>>;

  constructor(lifetime: Lifetime, client: Client, casePath: string) {
    this.#latest = new Latest(lifetime);
    this.#client = client;
    this.#casePath = casePath;
  }

  /** Requests missing events, and all of them if the case has a new revision. */
  show(events: readonly EventId[], revision: number): void {
    const asked = events.slice(0, MOST_SHOWN);
    if (asked.length === 0) return;
    this.#latest.follow({
      key: `${revision} ${asked.map(eventKey).join(' ')}`,
      load: async (signal) => {
        const request = { case: this.#casePath, events: [...asked] };
        const found = await this.#client.call('evidence', request, { signal });
        return new Map(asked.map((event, at) => [eventKey(event), found.events[at] ?? null]));
      },
      done: (found) => {
        this.evidence = found;
        this.failure = null;
      },
      failed: (cause) => {
        const error = engineError(cause);
        if (error.code !== 'cancelled') this.failure = error;
      },
    });
  }
}

/** All annotations by time; those without a time come first, as in the event list. */
export function entries(
  notes: Notes,
  evidence: ReadonlyMap<string, Evidence | null>,
  narrowed: Narrowed,
): AnnotationEntry[] {
  const found: AnnotationEntry[] = [];
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
  const rank = ({ time }: AnnotationEntry) => time ?? null;
  return found.sort((a, b) => {
    const [left, right] = [rank(a), rank(b)];
    if (left === right) return a.key < b.key ? -1 : 1;
    if (left === null) return -1;
    if (right === null) return 1;
    return left < right ? -1 : 1;
  });
}
