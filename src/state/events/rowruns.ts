/**
 * Selected rows in a list that can have a hundred million of them: runs of row indices, never one
 * entry per row.
 */
export interface Run {
  readonly first: number;
  /** Inclusive. */
  readonly last: number;
}

/** Ascending and disjoint. */
export type Runs = readonly Run[];

export function countOf(runs: Runs): number {
  return runs.reduce((count, { first, last }) => count + last - first + 1, 0);
}

export function holds(runs: Runs, row: number): boolean {
  return runs.some(({ first, last }) => first <= row && row <= last);
}

export function runOf(one: number, other: number): Run {
  return { first: Math.min(one, other), last: Math.max(one, other) };
}

export function withRun(runs: Runs, added: Run): Runs {
  const separate = runs.filter(
    ({ first, last }) => last + 1 < added.first || first - 1 > added.last,
  );
  const joined = runs.filter((run) => !separate.includes(run));
  const first = Math.min(added.first, ...joined.map((run) => run.first));
  const last = Math.max(added.last, ...joined.map((run) => run.last));
  return [...separate, { first, last }].sort((a, b) => a.first - b.first);
}

export function toggled(runs: Runs, row: number): Runs {
  if (!holds(runs, row)) return withRun(runs, { first: row, last: row });
  return runs.flatMap((run) => {
    if (row < run.first || row > run.last) return [run];
    const parts = [
      { first: run.first, last: row - 1 },
      { first: row + 1, last: run.last },
    ];
    return parts.filter(({ first, last }) => first <= last);
  });
}

/** The first n selected rows. */
export function firstRows(runs: Runs, most: number): number[] {
  const rows: number[] = [];
  for (const { first, last } of runs) {
    for (let row = first; row <= last && rows.length < most; row += 1) rows.push(row);
  }
  return rows;
}
