import { timeFromNanos, type Time } from '../../base/time';

/** From the first to the last of several stretches; null where none has a time. */
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
