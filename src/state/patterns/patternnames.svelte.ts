import type { Pattern } from '../../ipc/generated';
import type { Notes } from '../notes/notes.svelte';
import type { ShownPattern } from './patternlist';

/** The kind of the notes that name and hide patterns. Their ids are those of the patterns. */
const KIND = 'pattern';

interface Given {
  readonly name: string;
  readonly isHidden: boolean;
}

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
