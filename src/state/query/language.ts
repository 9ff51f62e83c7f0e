import { bytesBefore, unitsBefore } from '../../base/span';
import type { Client } from '../../ipc/client';
import type { Completion, QueryCheck, Stretch } from '../../ipc/generated';

/**
 * What the engine knows of a query while it is being written. The engine counts in bytes; everything
 * here counts in the units of the screen's strings.
 */
export class Language {
  readonly #client: Client;
  readonly #casePath: string;

  constructor(client: Client, casePath: string) {
    this.#client = client;
    this.#casePath = casePath;
  }

  /** What its words are, and what is wrong with it. */
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

  /** The time from one written time to another, or of one alone. */
  stretch(from: string, to: string | null, zone: string): Promise<Stretch> {
    return this.#client.call('stretch', { case: this.#casePath, from, to, zone });
  }

  /** What could be written at a place of it. */
  async complete(query: string, cursor: number, signal: AbortSignal): Promise<Completion> {
    const request = { case: this.#casePath, query, cursor: bytesBefore(query, cursor) };
    const completion = await this.#client.call('complete', request, { signal });
    const units = unitsBefore(query);
    return { ...completion, start: units(completion.start), end: units(completion.end) };
  }
}
