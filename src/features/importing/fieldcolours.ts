import type { PreviewRow } from '../../ipc/generated';

/** As many colours as are distinguishable at a glance; further fields reuse them. */
export const COLOURS = 8;

/** The fields of some events in their order in the text, each with its colour. */
export function fieldColours(rows: readonly PreviewRow[]): ReadonlyMap<string, number> {
  const colours = new Map<string, number>();
  for (const { pieces } of rows) {
    for (const { field } of pieces) {
      if (field !== null && !colours.has(field)) colours.set(field, colours.size % COLOURS);
    }
  }
  return colours;
}

/** The events as written, to test a pattern on. */
export function plainLines(rows: readonly PreviewRow[]): string {
  return rows.map(({ pieces }) => pieces.map(({ text }) => text).join('') + '\n').join('');
}
