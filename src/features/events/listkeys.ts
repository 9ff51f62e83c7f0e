import { shortcut } from '../../base/keys';

/** The meaning of keys in the event list, as in less, vi and lnav. */
export type Move =
  | { readonly kind: 'by'; readonly rows: number }
  | { readonly kind: 'page'; readonly pages: number }
  | { readonly kind: 'first' }
  | { readonly kind: 'last' }
  | { readonly kind: 'open' };

/** The rows of the table of keys that move in the list. */
export const MOVES = ['next', 'before', 'page', 'page-back', 'first', 'last', 'open'] as const;

const MEANINGS: Readonly<Record<(typeof MOVES)[number], Move>> = {
  next: { kind: 'by', rows: 1 },
  before: { kind: 'by', rows: -1 },
  page: { kind: 'page', pages: 1 },
  'page-back': { kind: 'page', pages: -1 },
  first: { kind: 'first' },
  last: { kind: 'last' },
  open: { kind: 'open' },
};

/** Null if the key does not move. */
export function moveOf(key: string): Move | null {
  const id = MOVES.find((each) => shortcut(each).keys.includes(key));
  return id === undefined ? null : MEANINGS[id];
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
