import type { PreviewRow } from '../../ipc/generated';

/** As many colours as can be told apart at a glance; more fields begin anew. */
export const COLOURS = 8;

/** The fields of some events in the order in which they stand in them, each with its colour. */
export function fieldColours(rows: readonly PreviewRow[]): ReadonlyMap<string, number> {
  const colours = new Map<string, number>();
  for (const { pieces } of rows) {
    for (const { field } of pieces) {
      if (field !== null && !colours.has(field)) colours.set(field, colours.size % COLOURS);
    }
  }
  return colours;
}

/** The events as they were written, for trying a pattern on them. */
export function plainLines(rows: readonly PreviewRow[]): string {
  return rows.map(({ pieces }) => pieces.map(({ text }) => text).join('') + '\n').join('');
}
