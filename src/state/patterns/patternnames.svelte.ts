import type { Pattern, TableCell, TableColumn } from '../../ipc/generated';
import type { Notes } from '../notes/notes.svelte';
import type { ShownPattern } from './patternlist';

/** The kind of the notes that name and hide patterns. Their ids are those of the patterns. */
const KIND = 'pattern';

interface Given {
  readonly name: string;
  readonly isHidden: boolean;
}

/** Ids of patterns at any granularity. */
const PATTERN_IDS = /\b[stgf][0-9a-f]{16}\b/g;

const PATTERN_ID = /^[stgf][0-9a-f]{16}$/;

/** The letter of the granularity whose patterns stages, alerts and the field `template` have. */
const DEFAULT_GRANULARITY = 't';

/** The field whose value is a pattern. Alerts have its text there. */
const TEMPLATE = 'template';

const NOTHING: Given = { name: '', isHidden: false };

/** The columns of a result whose rows are patterns, by their places; -1 for one that it does not have. */
export interface PatternColumns {
  readonly text: number;
  /** The column that has the id, alone or in a filter. */
  readonly id: number;
  /** The column that says whether a row is a pattern, if some are not. */
  readonly kind: number;
}

/** Null if the result is not one of a stage that lists patterns. */
export function patternColumns(
  stages: readonly string[],
  columns: readonly TableColumn[],
): PatternColumns | null {
  const place = (wanted: string) => columns.findIndex(({ name }) => name === wanted);
  const stage = stages.find((one) => /^(?:patterns|compare)\b/i.test(one));
  if (stage === undefined) return null;
  return /^patterns/i.test(stage)
    ? { text: place('pattern'), id: place('id'), kind: -1 }
    : { text: place('what'), id: place('filter'), kind: place('kind') };
}

/** The names that people gave to patterns, and the patterns that they hid from lists. Both are notes of the case. */
export class PatternNames {
  readonly #notes: Notes;
  readonly #given = $derived.by((): ReadonlyMap<string, Given> => {
    const isHidden = (data: unknown) => (data as { hidden?: unknown } | null)?.hidden === true;
    return new Map(
      this.#notes
        .ofKind(KIND)
        .filter(({ id }) => PATTERN_ID.test(id))
        .map(({ id, text, data }) => [id, { name: text, isHidden: isHidden(data) }]),
    );
  });

  /** Patterns of other granularities may have the same texts. */
  readonly #byText = $derived.by(
    (): ReadonlyMap<unknown, string> =>
      new Map(
        this.#notes
          .ofKind(KIND)
          .filter(({ id }) => PATTERN_ID.test(id) && id.startsWith(DEFAULT_GRANULARITY))
          .filter(({ text }) => text !== '')
          .map(({ text, data }) => [(data as { pattern?: unknown } | null)?.pattern, text]),
      ),
  );

  constructor(notes: Notes) {
    this.#notes = notes;
  }

  /** The name of a pattern; null if it has none. */
  nameOf(id: string): string | null {
    return this.#of(id).name || null;
  }

  isHidden(id: string): boolean {
    return this.#of(id).isHidden;
  }

  readonly shown: ShownPattern = (id, text) => this.nameOf(id) ?? text;

  /** The name of the pattern that a value is the id of; of `template`, the id or the text. Null if it has none. */
  nameOfValue(field: string | null, value: string): string | null {
    const byText = field === TEMPLATE ? this.#byText.get(value) : undefined;
    return this.nameOf(value) ?? byText ?? null;
  }

  /** The name of the pattern that a cell of a result is the id of, or the text of if its rows are patterns. */
  nameOfCell(row: readonly TableCell[], at: number, columns: PatternColumns | null): string | null {
    const value = row[at];
    if (typeof value !== 'string') return null;
    const isText = at === columns?.text && (columns.kind < 0 || row[columns.kind] === 'pattern');
    if (!isText) return this.nameOf(value);
    const [id, other] = String(row[columns.id] ?? '').match(PATTERN_IDS) ?? [];
    // Without the id of the row, its text is that of a pattern of the default granularity.
    const isOne = id !== undefined && other === undefined;
    return isOne ? this.nameOf(id) : (this.#byText.get(value) ?? null);
  }

  /** A value as it is shown: with the name of its pattern, if it has one. */
  readonly shownValue = (field: string | null, value: string): string =>
    this.nameOfValue(field, value) ?? value;

  /** What an alert is about: its fields and values, of a pattern nothing but `template=` and its text. */
  shownEntity(entity: string): string {
    const [field, value] = [`${TEMPLATE}=`, entity.slice(TEMPLATE.length + 1)];
    const name = entity.startsWith(field) ? this.nameOfValue(TEMPLATE, value) : null;
    return name === null ? this.inText(entity) : field + name;
  }

  /** A text with names in place of ids, as a series is called that has the events of one pattern. */
  readonly inText = (text: string): string =>
    text.replace(PATTERN_IDS, (id) => this.nameOf(id) ?? id);

  /** Names a pattern; an empty name removes the one that it has. */
  rename(pattern: Pick<Pattern, 'id' | 'text'>, name: string): Promise<boolean> {
    const text = name.replace(/\s+/g, ' ').trim();
    return this.#put(pattern, { ...this.#of(pattern.id), name: text });
  }

  /** Hides a pattern from lists, or shows it again. Filters never change. */
  hide(pattern: Pick<Pattern, 'id' | 'text'>, isHidden: boolean): Promise<boolean> {
    return this.#put(pattern, { ...this.#of(pattern.id), isHidden });
  }

  #of(id: string): Given {
    return this.#given.get(id) ?? NOTHING;
  }

  #put({ id, text }: Pick<Pattern, 'id' | 'text'>, { name, isHidden }: Given): Promise<boolean> {
    const note = { kind: KIND, id };
    if (name === '' && !isHidden) return this.#notes.change([], this.#given.has(id) ? [note] : []);
    // The text says to readers of the notes which pattern this is.
    const data = { pattern: text, ...(isHidden ? { hidden: true } : {}) };
    return this.#notes.change([{ ...note, text: name, data }]);
  }
}
