import { expect, it } from 'vitest';

import { countOf, firstRows, holds, runOf, toggled, withRun, type Runs } from './rowruns';

it('equals a plain set of rows', () => {
  let runs: Runs = [];
  const rows = new Set<number>();
  // A fixed walk that joins, splits and covers runs.
  for (let step = 1; step <= 400; step += 1) {
    const at = (step * 7919) % 50;
    if (step % 3 === 0) {
      const run = runOf(at, (step * 31) % 50);
      runs = withRun(runs, run);
      for (let row = run.first; row <= run.last; row += 1) rows.add(row);
    } else {
      runs = toggled(runs, at);
      if (!rows.delete(at)) rows.add(at);
    }
    const sorted = [...rows].sort((a, b) => a - b);
    expect(firstRows(runs, 1000)).toEqual(sorted);
    expect(countOf(runs)).toBe(rows.size);
    expect(holds(runs, at)).toBe(rows.has(at));
    runs.slice(1).forEach((run, index) => expect(run.first).toBeGreaterThan(runs[index]!.last + 1));
  }
});

it('selects a hundred million rows without listing them', () => {
  const runs = toggled(withRun([], { first: 0, last: 99_999_999 }), 5);
  expect(countOf(runs)).toBe(99_999_999);
  expect(firstRows(runs, 7)).toEqual([0, 1, 2, 3, 4, 6, 7]);
});
