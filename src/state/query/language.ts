import { nanosFromTime, timeFromNanos, type TimeRange } from '../../base/time';
import { bytesBefore, unitsBefore } from '../../base/span';
import type { Client } from '../../ipc/client';
import type { Completion, Nanos, QueryCheck, Suggestion } from '../../ipc/generated';

/**
 * The engine's language service for a query that is being typed. The engine counts in bytes;
 * everything here counts in UTF-16 units.
 */
export class Language {
  readonly #client: Client;
  readonly #casePath: string;

  constructor(client: Client, casePath: string) {
    this.#client = client;
    this.#casePath = casePath;
  }

  /** Its tokens and diagnostics. */
  async check(query: string, signal: AbortSignal): Promise<QueryCheck> {
    const request = { case: this.#casePath, query, kql: false };
    const check = await this.#client.call('check', request, { signal });
    const units = unitsBefore(query);
    const placed = <T extends { start: number; end: number }>(part: T): T => ({
      ...part,
      start: units(part.start),
      end: units(part.end),
    });
    return {
      ...check,
      words: check.words.map(placed),
      diagnostics: check.diagnostics.map(placed),
    };
  }

  /**
   * The range from one written time to another, or of one alone, which may be two times: `a/b`. The
   * engine is the one parser of times; a time of day is on a day of the range in view.
   */
  async stretch(
    from: string,
    to: string | null,
    zone: string,
    around: TimeRange,
  ): Promise<TimeRange> {
    const view = {
      from: nanosFromTime(around.from) as Nanos,
      to: nanosFromTime(around.to) as Nanos,
    };
    const request = { case: this.#casePath, from, to, zone, around: view };
    const found = await this.#client.call('stretch', request);
    return { from: timeFromNanos(found.from), to: timeFromNanos(found.to) };
  }

  /** The completions at a position. */
  async complete(query: string, cursor: number, signal: AbortSignal): Promise<Completion> {
    const request = { case: this.#casePath, query, cursor: bytesBefore(query, cursor) };
    const completion = await this.#client.call('complete', request, { signal });
    const units = unitsBefore(query);
    return {
      start: units(completion.start),
      end: units(completion.end),
      suggestions: once(completion.suggestions),
    };
  }
}

/** Each text once: a value can be a word as well. What is counted comes before what is not. */
function once(all: readonly Suggestion[]): Suggestion[] {
  const found = new Map<string, Suggestion>();
  for (const each of all) {
    const text = each.insert.trim();
    const known = found.get(text);
    if (known === undefined) found.set(text, each);
    else if (known.count === null && each.count !== null)
      found.set(text, { ...known, count: each.count });
  }
  return [...found.values()];
}
