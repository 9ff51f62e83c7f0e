import { timeFromNanos, type Time } from '../../base/time';
import type { Trail } from '../../ipc/generated';

/** From the first to the last of several spans; null if none has a time. */
export function spanOf(
  stretches: readonly { readonly first: string | null; readonly last: string | null }[],
): { first: Time; last: Time } | null {
  let span: { first: Time; last: Time } | null = null;
  for (const { first, last } of stretches) {
    if (first === null || last === null) continue;
    const [from, to] = [timeFromNanos(first), timeFromNanos(last)];
    span = {
      first: span === null || from < span.first ? from : span.first,
      last: span === null || to > span.last ? to : span.last,
    };
  }
  return span;
}

/** Ordered by when the value was first seen; sources without a time come last. */
export function inOrder(trails: readonly Trail[]): Trail[] {
  const first = (trail: Trail) => (trail.first === null ? null : timeFromNanos(trail.first));
  return trails.toSorted((a, b) => {
    const [left, right] = [first(a), first(b)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return left < right ? -1 : Number(left > right);
  });
}
