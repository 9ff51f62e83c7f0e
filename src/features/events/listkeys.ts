/** The meaning of keys in the event list, as in less, vi and lnav. */
export type Move =
  | { readonly kind: 'by'; readonly rows: number }
  | { readonly kind: 'page'; readonly pages: number }
  | { readonly kind: 'first' }
  | { readonly kind: 'last' }
  | { readonly kind: 'open' };

const MOVES = new Map<string, Move>(
  Object.entries({
    j: { kind: 'by', rows: 1 },
    ArrowDown: { kind: 'by', rows: 1 },
    k: { kind: 'by', rows: -1 },
    ArrowUp: { kind: 'by', rows: -1 },
    PageDown: { kind: 'page', pages: 1 },
    PageUp: { kind: 'page', pages: -1 },
    Home: { kind: 'first' },
    g: { kind: 'first' },
    End: { kind: 'last' },
    G: { kind: 'last' },
    Enter: { kind: 'open' },
  } satisfies Record<string, Move>),
);

export function moveOf(key: string): Move | null {
  return MOVES.get(key) ?? null;
}

/**
 * The selected row after a move; `selected` is -1 if there was none, and then the first move enters
 * the list.
 */
export function target(move: Move, selected: number, total: number, pageRows: number): number {
  const last = total - 1;
  const clamp = (row: number) => Math.min(Math.max(row, 0), last);
  switch (move.kind) {
    case 'by':
      return selected < 0 ? clamp(0) : clamp(selected + move.rows);
    case 'page':
      return clamp(Math.max(selected, 0) + move.pages * Math.max(1, pageRows - 1));
    case 'first':
      return clamp(0);
    case 'last':
      return last;
    case 'open':
      return clamp(selected);
  }
}

/** What a move does to the selected events: replaces them, extends them, or leaves them. */
export type Picking = 'replace' | 'extend' | 'toggle';

export function pickingOf(
  event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey'>,
): Picking {
  if (event.ctrlKey || event.metaKey) return 'toggle';
  // A capital letter is a key of its own.
  return event.shiftKey && event.key.length > 1 ? 'extend' : 'replace';
}
