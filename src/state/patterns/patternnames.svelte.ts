import type { Pattern } from '../../ipc/generated';
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

/** Fields whose values may be the texts of patterns: those of `patterns` and `compare`, and of what an alert is about. */
const TEXTS: ReadonlySet<string> = new Set(['pattern', 'what', 'template']);

const NOTHING: Given = { name: '', isHidden: false };

/** The names that people gave to patterns, and the patterns that they hid from lists. Both are notes of the case. */
export class PatternNames {
  readonly #notes: Notes;
  readonly #given = $derived.by((): ReadonlyMap<string, Given> => {
    const isHidden = (data: unknown) => (data as { hidden?: unknown } | null)?.hidden === true;
    return new Map(
      this.#notes
        .ofKind(KIND)
        .map(({ id, text, data }) => [id, { name: text, isHidden: isHidden(data) }]),
    );
  });

  readonly #byText = $derived.by(
    (): ReadonlyMap<unknown, string> =>
      new Map(
        this.#notes
          .ofKind(KIND)
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

  /** The name of the pattern that a value of a field is the id or the text of; null if it is neither. */
  nameOfValue(field: string | null, value: string): string | null {
    const byText = field !== null && TEXTS.has(field) ? this.#byText.get(value) : undefined;
    return this.nameOf(value) ?? byText ?? null;
  }

  /** A value as it is shown: with the name of its pattern, if it has one. */
  readonly shownValue = (field: string | null, value: string): string =>
    this.nameOfValue(field, value) ?? value;

  /** What an alert is about: of a pattern nothing but `template=` and its text. */
  shownEntity(entity: string): string {
    const at = entity.indexOf('=');
    if (at < 0) return entity;
    const [field, value] = [entity.slice(0, at), entity.slice(at + 1)];
    return `${field}=${this.shownValue(field, value)}`;
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
