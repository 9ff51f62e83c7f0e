/** One event of a `text/event-stream`. */
export interface StreamEvent {
  readonly event: string;
  readonly data: string;
}

/**
 * Splits a `text/event-stream` into events, however the network cut it into chunks.
 *
 * The browser's own EventSource can neither post nor send a header, and both are needed here.
 */
export class EventStreamParser {
  readonly #decoder = new TextDecoder();
  #rest = '';
  #event = '';
  #data: string[] = [];

  push(chunk: Uint8Array): StreamEvent[] {
    const text = this.#rest + this.#decoder.decode(chunk, { stream: true });
    const lines = text.split('\n');
    this.#rest = lines.pop() ?? '';
    return lines.flatMap((line) => this.#line(line.endsWith('\r') ? line.slice(0, -1) : line));
  }

  #line(line: string): StreamEvent[] {
    if (line === '') {
      const finished = { event: this.#event, data: this.#data.join('\n') };
      const empty = this.#data.length === 0;
      this.#event = '';
      this.#data = [];
      return empty ? [] : [finished];
    }
    const colon = line.indexOf(':');
    // A line that begins with a colon is a comment: servers send them to keep a connection open.
    if (colon === 0) return [];
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') this.#event = value;
    else if (field === 'data') this.#data.push(value);
    return [];
  }
}
