/** Fields whose most frequent values are always listed. */

import { FIRST } from './coverage';

/** Fields that a person pinned (true) or unpinned (false). All others are as the program has them. */
export type PinnedFields = Readonly<Record<string, boolean>>;

/** Fields with few values that people filter by most, the first ones first. */
const USUAL: readonly string[] = ['level', 'status', 'service', 'app', 'host'];
/** More of them would leave no room for the list of fields. */
const MOST_USUAL = 2;
/** More names than this were not pinned by a person. */
const MOST_STORED = 200;

/**
 * The pinned fields of a case, in the order of its fields. Those that the program pins are few, and none
 * with `isCostly`, because each of them is one more request to a cluster.
 */
export function pinnedFields(
  names: readonly string[],
  chosen: PinnedFields,
  isCostly = false,
): readonly string[] {
  const usual = isCostly ? [] : USUAL.filter((name) => names.includes(name)).slice(0, MOST_USUAL);
  const isChosen = (name: string) => (Object.hasOwn(chosen, name) ? chosen[name] : undefined);
  return names.filter((name) => isChosen(name) ?? usual.includes(name));
}

/** The stored choice, as far as it is one. */
export function pinnedOf(found: unknown): PinnedFields | undefined {
  if (typeof found !== 'object' || found === null) return undefined;
  const entries = Object.entries(found).filter(([, value]) => typeof value === 'boolean');
  return Object.fromEntries(entries.slice(-MOST_STORED)) as PinnedFields;
}

/** The fields with the pinned ones after those that every event has. */
export function pinnedFirst<F extends { readonly name: string }>(
  fields: readonly F[],
  pinned: readonly string[],
): readonly F[] {
  const place = ({ name }: F) => (FIRST.includes(name) ? 0 : pinned.includes(name) ? 1 : 2);
  return fields.toSorted((one, other) => place(one) - place(other));
}
