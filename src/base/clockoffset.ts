/**
 * An offset that is added to every time of a source: `1h30m`, `-250ms`, `+2s`.
 *
 * The command line reads it in the same way (`indexer/base/src/duration.rs`); `fixtures/clock-offsets.json` tests both.
 */

/** The engine keeps offsets in 64 bits. */
const MOST = 2n ** 63n;

const UNITS: readonly (readonly [string, bigint])[] = [
  ['d', 86_400_000_000_000n],
  ['h', 3_600_000_000_000n],
  ['m', 60_000_000_000n],
  ['s', 1_000_000_000n],
  ['ms', 1_000_000n],
  ['us', 1_000n],
  ['ns', 1n],
];

/** Nanoseconds; null if the text is no duration. An empty text is no offset. */
export function parseClockOffset(text: string): bigint | null {
  const written = text.trim().toLowerCase().replaceAll('µs', 'us').replaceAll('−', '-');
  if (written === '' || written === '0') return 0n;
  const found = /^([+-]?)((?:\s*\d+(?:\.\d+)?\s*(?:ms|us|ns|d|h|m|s))+)$/.exec(written);
  if (found === null) return null;
  let total = 0n;
  for (const [, number, unit] of found[2]!.matchAll(/(\d+(?:\.\d+)?)\s*(ms|us|ns|d|h|m|s)/g)) {
    const size = UNITS.find(([name]) => name === unit)![1];
    const [whole, part = ''] = number!.split('.');
    // Decimals below a nanosecond are cut.
    const scale = 10n ** BigInt(part.length);
    total += (BigInt(whole! + part) * size) / scale;
  }
  if (total >= MOST) return null;
  return found[1] === '-' ? -total : total;
}

export function formatClockOffset(offset: bigint): string {
  if (offset === 0n) return '';
  let rest = offset < 0n ? -offset : offset;
  let text = offset < 0n ? '-' : '+';
  for (const [name, size] of UNITS) {
    if (rest >= size) text += `${rest / size}${name}`;
    rest %= size;
  }
  return text;
}
