import { randomId } from '../../base/ids';
import type { Client, EngineError } from '../../ipc/client';
import type { Note, NoteConflict, NoteDraft, NoteRemoval } from '../../ipc/generated';
import { keptSpec, specOf, type ChartSpec } from '../charts/chartspec';
import type { Notes } from '../notes/notes.svelte';

/** A chart on a board. The filter and the time range of the view narrow it. */
export interface BoardChart {
  readonly id: string;
  /** As a person called it; null is its automatic title. */
  readonly title: string | null;
  /** Its own filter, with which it was made. */
  readonly filter: string;
  readonly spec: ChartSpec;
  /** The stages of a query whose result is shown, with their pipes; null for a chart. */
  readonly stages: string | null;
  /** Spans the full width of the board. */
  readonly wide: boolean;
}

export interface Board {
  readonly id: string;
  readonly name: string;
  readonly charts: readonly BoardChart[];
  /** The revision that was read, so that no concurrent change is lost. */
  readonly revision: number;
}

const KIND = 'board';

/** The boards of a case: stored with its notes, so that they move with the case and follow other windows. */
export class Boards {
  failure = $state.raw<EngineError | null>(null);
  /** The last removal, which can be undone. */
  removed = $state.raw<{ readonly name: string; readonly board: Board } | null>(null);

  readonly client: Client;
  readonly #notes: Pick<Notes, 'ofKind' | 'tryChange' | 'failure' | 'readOnly'>;
  #work: Promise<void> = Promise.resolve();

  readonly list: readonly Board[] = $derived.by(() =>
    this.#notes
      .ofKind(KIND)
      .map(boardOf)
      .sort((one, other) => one.name.localeCompare(other.name) || (one.id < other.id ? -1 : 1)),
  );

  constructor(client: Client, notes: Pick<Notes, 'ofKind' | 'tryChange' | 'failure' | 'readOnly'>) {
    this.client = client;
    this.#notes = notes;
  }

  /** The reason why boards cannot be changed, if so. */
  get readOnly(): string | null {
    return this.#notes.readOnly;
  }

  find(id: string | null): Board | null {
    return this.list.find((board) => board.id === id) ?? null;
  }

  create(name: string, charts: readonly BoardChart[] = []): Promise<string> {
    const board: Board = { id: randomId(), name, charts, revision: 0 };
    return this.#inTurn(() => this.#put(board, () => board)).then(() => board.id);
  }

  rename(id: string, name: string): Promise<void> {
    return this.change(id, (board) => ({ ...board, name }));
  }

  change(id: string, part: (board: Board) => Board): Promise<void> {
    return this.#inTurn(async () => {
      const board = this.find(id);
      if (board !== null) await this.#put(part(board), part);
    });
  }

  removeChart(id: string, chart: string, name: string): Promise<void> {
    const board = this.find(id);
    if (board !== null) this.removed = { name, board };
    return this.change(id, (now) => ({
      ...now,
      charts: now.charts.filter((each) => each.id !== chart),
    }));
  }

  remove(id: string): Promise<void> {
    return this.#inTurn(async () => {
      const board = this.find(id);
      if (board === null) return;
      await this.#write([], [{ kind: KIND, id }]);
      if (this.failure === null) this.removed = { name: board.name, board };
    });
  }

  /** Restores the last removal: a board, or its charts. */
  restore(): Promise<void> {
    return this.#inTurn(async () => {
      const removed = this.removed;
      this.removed = null;
      if (removed === null) return;
      const revision = this.find(removed.board.id)?.revision ?? 0;
      await this.#put({ ...removed.board, revision }, () => removed.board);
    });
  }

  /** Changes run one after the other, each on top of the previous one. */
  #inTurn(action: () => Promise<void>): Promise<void> {
    return (this.#work = this.#work.then(action));
  }

  /** Writes a board. On a conflict, the same change is applied to the current revision. */
  async #put(board: Board, again: (now: Board) => Board): Promise<void> {
    const current = (await this.#write([draftOf(board)]))[0]?.current;
    if (current) await this.#write([{ ...draftOf(again(boardOf(current))), known: null }]);
  }

  async #write(put: NoteDraft[], remove?: NoteRemoval[]): Promise<readonly NoteConflict[]> {
    const conflicts = await this.#notes.tryChange(put, remove);
    this.failure = conflicts === null ? this.#notes.failure : null;
    return conflicts ?? [];
  }
}

function draftOf({ id, name, charts, revision }: Board): NoteDraft {
  const kept = charts.map(({ spec, ...chart }) => ({ ...chart, spec: keptSpec(spec) }));
  return { kind: KIND, id, known: revision, text: name, data: { charts: kept } };
}

/** Reads a board; unknown parts are left out, the rest stays. */
export function boardOf({ id, text, data, revision }: Note): Board {
  const given = (data as { charts?: unknown } | null)?.charts;
  const charts = Array.isArray(given) ? given.flatMap(chartOf) : [];
  return { id, name: text, charts, revision };
}

function chartOf(value: unknown): BoardChart[] {
  if (typeof value !== 'object' || value === null) return [];
  const { id, title, filter, spec, stages, wide } = value as Record<string, unknown>;
  if (typeof id !== 'string') return [];
  const text = (given: unknown) => (typeof given === 'string' && given !== '' ? given : null);
  return [
    {
      id,
      title: text(title),
      filter: text(filter) ?? '',
      spec: specOf(spec),
      stages: text(stages),
      wide: wide === true,
    },
  ];
}

/** The list with one entry moved. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const rest = list.filter((_, at) => at !== from);
  const entry = list[from];
  const place = Math.min(Math.max(to, 0), rest.length);
  return entry === undefined ? [...list] : [...rest.slice(0, place), entry, ...rest.slice(place)];
}
