/** How often a pattern occurs in the range, compared with the rest of the time. */
import type { TimeRange } from '../../base/time';
import type { Contrast } from '../../state/patterns/templates.svelte';
import type { Pattern } from '../../ipc/generated';

export type ContrastKind = Exclude<Contrast, 'all'> | 'same';

export interface Compared {
  readonly pattern: Pattern;
  readonly found: ContrastKind;
  /** The ratio of the rates; null if the pattern is new or missing. */
  readonly ratio: number | null;
}

/** From this factor on, a difference is shown. */
const MORE_FROM = 2;

/** Compared with a range, or with the whole time except its own. */
export function compared(
  pattern: Pattern,
  range: TimeRange,
  whole: TimeRange,
  against: TimeRange | null = null,
): Compared {
  const { count, elsewhere } = pattern;
  if (elsewhere === null || (count > 0 && elsewhere === 0)) {
    return { pattern, found: elsewhere === null ? 'same' : 'new', ratio: null };
  }
  if (count === 0) return { pattern, found: 'gone', ratio: null };
  const inside = Number(range.to - range.from);
  const outside =
    against === null
      ? Math.max(1, Number(whole.to - whole.from) - inside)
      : Math.max(1, Number(against.to - against.from));
  const ratio = count / Math.max(1, inside) / (elsewhere / outside);
  const found = ratio >= MORE_FROM ? 'more' : ratio <= 1 / MORE_FROM ? 'fewer' : 'same';
  return { pattern, found, ratio };
}

/** The patterns of one kind of difference, the greatest difference first. */
export function contrasting(all: readonly Compared[], contrast: Contrast): Compared[] {
  if (contrast === 'all') return [...all];
  const key = ({ pattern, ratio }: Compared) =>
    ratio === null
      ? pattern.count + (pattern.elsewhere ?? 0)
      : contrast === 'fewer'
        ? 1 / ratio
        : ratio;
  return all.filter(({ found }) => found === contrast).sort((a, b) => key(b) - key(a));
}
