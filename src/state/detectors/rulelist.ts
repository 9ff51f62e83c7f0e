/** The rules that fired, as a list shows them. */
import type { FiredRule } from '../../ipc/generated';

export type RuleOrder = 'severity' | 'events';

/** The engine sorts by severity. */
export function sortedRules(rules: readonly FiredRule[], order: RuleOrder): readonly FiredRule[] {
  return order === 'severity' ? rules : rules.toSorted((a, b) => b.events - a.events);
}

/** Rules about a technique or a part of it; all for null. */
export function aboutTechnique(
  rules: readonly FiredRule[],
  technique: string | null,
): readonly FiredRule[] {
  if (technique === null) return rules;
  const isIt = (tag: string) => tag === technique || tag.startsWith(`${technique}.`);
  return rules.filter(({ about }) => about.techniques.some(isIt));
}
