/** The part of a plot that a person points at, or reaches by keys. */

/** The part of a stacked bar at a height above its axis, and its top above the bar; −1 if there is no bar. */
export function partAt(
  values: readonly number[],
  toPx: (value: number) => number,
  abovePx: number,
): number {
  const sum = values.reduce((total, value) => total + Math.max(0, value), 0);
  if (sum === 0) return -1;
  let reached = 0;
  const found = values.findIndex((value) => {
    reached += Math.max(0, value);
    return value > 0 && (toPx(sum) * reached) / sum >= abovePx;
  });
  return found >= 0 ? found : values.findLastIndex((value) => value > 0);
}

/** The entry some steps after one; the first if that is not among them. */
export function stepped<T>(all: readonly T[], isNow: (one: T) => boolean, step: number): T | null {
  const at = all.findIndex(isNow);
  return all[at < 0 ? 0 : Math.min(Math.max(at + step, 0), all.length - 1)] ?? null;
}
