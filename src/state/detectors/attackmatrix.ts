/** ATT&CK's matrix of what the rules of a folder could see in a case, and of what fired. */
import type { TechniqueCoverage } from '../../ipc/generated';

/** Tactics in the order of an attack. Versions of ATT&CK differ: some have `stealth`, others `defense-evasion`. */
const TACTICS = [
  'reconnaissance',
  'resource-development',
  'initial-access',
  'execution',
  'persistence',
  'privilege-escalation',
  'defense-evasion',
  'stealth',
  'defense-impairment',
  'credential-access',
  'discovery',
  'lateral-movement',
  'collection',
  'command-and-control',
  'exfiltration',
  'impact',
];

export type Sight = 'fired' | 'seen' | 'blind';

export interface MatrixCell {
  /** Empty for rules that name a tactic only. */
  readonly technique: string;
  readonly name: string;
  readonly rules: number;
  readonly seeing: number;
  readonly fired: number;
  readonly sight: Sight;
}

export interface MatrixColumn {
  readonly tactic: string;
  /** Those that fired first, then those that could be seen. */
  readonly cells: readonly MatrixCell[];
  readonly fired: number;
  readonly seen: number;
}

export interface SourceSight {
  readonly logSource: string;
  readonly techniques: number;
  readonly seen: number;
}

const SIGHTS: readonly Sight[] = ['fired', 'seen', 'blind'];

function place(tactic: string): number {
  const at = TACTICS.indexOf(tactic);
  return at < 0 ? TACTICS.length : at;
}

/** The columns of the matrix; of all log sources for null. */
export function attackMatrix(
  coverage: readonly TechniqueCoverage[],
  logSource: string | null,
): readonly MatrixColumn[] {
  const columns = new Map<string, Map<string, MatrixCell>>();
  for (const part of coverage) {
    if (logSource !== null && part.logSource !== logSource) continue;
    const cells = columns.get(part.tactic) ?? new Map<string, MatrixCell>();
    columns.set(part.tactic, cells);
    const known = cells.get(part.technique);
    const rules = (known?.rules ?? 0) + part.rules;
    const seeing = (known?.seeing ?? 0) + part.seeing;
    const fired = (known?.fired ?? 0) + part.fired;
    const sight = fired > 0 ? 'fired' : seeing > 0 ? 'seen' : 'blind';
    const { technique, name } = part;
    cells.set(technique, { technique, name, rules, seeing, fired, sight });
  }
  const rank = ({ sight }: MatrixCell) => SIGHTS.indexOf(sight);
  return [...columns]
    .map(([tactic, cells]) => {
      const sorted = [...cells.values()].sort(
        (a, b) => rank(a) - rank(b) || (a.technique < b.technique ? -1 : 1),
      );
      const count = (least: Sight) =>
        sorted.filter((cell) => rank(cell) <= SIGHTS.indexOf(least)).length;
      return { tactic, cells: sorted, fired: count('fired'), seen: count('seen') };
    })
    .sort((a, b) => place(a.tactic) - place(b.tactic) || (a.tactic < b.tactic ? -1 : 1));
}

/** The log sources of rules, those with the most techniques that can be seen first. */
export function sightBySource(coverage: readonly TechniqueCoverage[]): readonly SourceSight[] {
  const sources = new Map<string, Map<string, boolean>>();
  for (const { logSource, technique, tactic, seeing } of coverage) {
    const seen = sources.get(logSource) ?? new Map<string, boolean>();
    sources.set(logSource, seen);
    const key = technique === '' ? tactic : technique;
    seen.set(key, (seen.get(key) ?? false) || seeing > 0);
  }
  return [...sources]
    .map(([logSource, seen]) => ({
      logSource,
      techniques: seen.size,
      seen: [...seen.values()].filter(Boolean).length,
    }))
    .sort((a, b) => b.seen - a.seen || b.techniques - a.techniques);
}

/** `credential-access` as a heading. */
export function tacticName(tactic: string): string {
  const words = tactic.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
