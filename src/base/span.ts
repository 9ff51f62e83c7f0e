/**
 * The engine counts a query in bytes of UTF-8, the screen in UTF-16 units. Splits a text into what
 * is before, inside and after a byte range; a range past the end or an empty one marks the last
 * position.
 */
export function cutAtBytes(
  text: string,
  [from, to]: readonly [number, number],
): { before: string; inside: string; after: string } {
  const bytes = new TextEncoder().encode(text);
  const decoder = new TextDecoder();
  const start = Math.min(from, bytes.length);
  const end = Math.min(Math.max(to, start), bytes.length);
  return {
    before: decoder.decode(bytes.subarray(0, start)),
    inside: decoder.decode(bytes.subarray(start, end)),
    after: decoder.decode(bytes.subarray(end)),
  };
}

/** The number of UTF-8 bytes before a position in UTF-16 units. */
export function bytesBefore(text: string, units: number): number {
  return new TextEncoder().encode(text.slice(0, units)).length;
}

/** Converts positions in UTF-8 bytes to UTF-16 units. */
export function unitsBefore(text: string): (bytes: number) => number {
  const encoded = new TextEncoder().encode(text);
  const decoder = new TextDecoder();
  return (bytes) => decoder.decode(encoded.subarray(0, bytes)).length;
}
