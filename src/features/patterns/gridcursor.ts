/** A cell cursor in a grid of rows and columns, moved by keys. Without the DOM. */
export interface GridCell {
  readonly row: number;
  readonly column: number;
}

/** How far a key moves: rows and columns. */
const STEPS: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  PageUp: [-10, 0],
  PageDown: [10, 0],
  Home: [0, -Infinity],
  End: [0, Infinity],
};

export class GridCursor {
  #rows = 0;
  #columns = 0;
  #cell: GridCell | null = null;
  /** The column at which a selection by keys began. */
  #anchor: number | null = null;

  /** Sets the size of the grid; the cursor stays inside of it. */
  layout(rows: number, columns: number): void {
    [this.#rows, this.#columns] = [rows, columns];
    if (this.#cell !== null) this.#cell = this.#inside(this.#cell.row, this.#cell.column);
    if (this.#anchor !== null) this.#anchor = Math.min(this.#anchor, Math.max(0, columns - 1));
  }

  get cell(): GridCell | null {
    return this.#cell;
  }

  /** The selected columns, both included, if more than the cursor is selected. */
  get selection(): { readonly first: number; readonly last: number } | null {
    if (this.#anchor === null || this.#cell === null) return null;
    const { column } = this.#cell;
    return { first: Math.min(this.#anchor, column), last: Math.max(this.#anchor, column) };
  }

  /** Moves by a key; true if it is one that moves. `select` extends the selection of columns. */
  key(key: string, select: boolean): boolean {
    const step = STEPS[key];
    if (step === undefined || this.#rows === 0 || this.#columns === 0) return false;
    const from = this.#cell;
    const [rows, columns] = step;
    if (!select || columns === 0) this.#anchor = null;
    else this.#anchor ??= from?.column ?? 0;
    // The first key only shows where the cursor is.
    this.#cell =
      from === null ? { row: 0, column: 0 } : this.#inside(from.row + rows, from.column + columns);
    return true;
  }

  place(cell: GridCell): void {
    this.#cell = this.#inside(cell.row, cell.column);
    this.#anchor = null;
  }

  /** Escape: true if there was a cursor. */
  cancel(): boolean {
    const had = this.#cell !== null;
    this.#cell = null;
    this.#anchor = null;
    return had;
  }

  #inside(row: number, column: number): GridCell | null {
    if (this.#rows === 0 || this.#columns === 0) return null;
    const within = (value: number, count: number) => Math.min(Math.max(value, 0), count - 1);
    return { row: within(row, this.#rows), column: within(column, this.#columns) };
  }
}
