import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { StateEffect, StateField, EditorState } from '@codemirror/state';
import { Decoration, EditorView, keymap, lineNumbers, type DecorationSet } from '@codemirror/view';

export interface DefinitionEditorOptions {
  readonly text: string;
  readonly label: string;
  /** The id of the element that lists the problems. */
  readonly describedBy: string;
  typed(text: string): void;
}

const setWrong = StateEffect.define<readonly number[]>();

/** Lines with a problem. They move along with the text until the next check. */
const wrongLines = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, transaction) {
    const found = transaction.effects.find((effect) => effect.is(setWrong));
    if (!found) return shown.map(transaction.changes);
    const doc = transaction.newDoc;
    const lines = [...new Set(found.value)].filter((line) => line >= 1 && line <= doc.lines);
    const marks = lines
      .sort((a, b) => a - b)
      .map((line) => Decoration.line({ class: 'wrong-line' }).range(doc.line(line).from));
    return Decoration.set(marks);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** The TOML of a detector as a text editor with numbered lines. */
export class DefinitionEditor {
  readonly #view: EditorView;
  /** True while the text is replaced by the program. */
  #setting = false;

  constructor(parent: HTMLElement, options: DefinitionEditorOptions) {
    this.#view = new EditorView({
      parent,
      state: EditorState.create({
        doc: options.text,
        extensions: [
          history(),
          lineNumbers(),
          wrongLines,
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({
            'data-testid': 'definition-text',
            'aria-label': options.label,
            'aria-multiline': 'true',
            'aria-describedby': options.describedBy,
            spellcheck: 'false',
          }),
          keymap.of([...historyKeymap, ...defaultKeymap]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged && !this.#setting) options.typed(update.state.doc.toString());
          }),
        ],
      }),
    });
  }

  get text(): string {
    return this.#view.state.doc.toString();
  }

  set text(text: string) {
    if (text === this.text) return;
    this.#setting = true;
    const anchor = Math.min(this.#view.state.selection.main.anchor, text.length);
    this.#view.dispatch({
      changes: { from: 0, to: this.#view.state.doc.length, insert: text },
      selection: { anchor },
    });
    this.#setting = false;
  }

  /** Marks lines, counted from 1. */
  mark(lines: readonly number[]): void {
    this.#view.dispatch({ effects: setWrong.of(lines) });
  }

  dispose(): void {
    this.#view.destroy();
  }
}
