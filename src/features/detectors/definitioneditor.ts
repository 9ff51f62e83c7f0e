import { StateEffect, StateField } from '@codemirror/state';
import { Decoration, EditorView, lineNumbers, type DecorationSet } from '@codemirror/view';

import { TextEditor, type TextEditorOptions } from '../controls/texteditor';

export interface DefinitionEditorOptions extends TextEditorOptions {
  /** The id of the element that lists the problems. */
  readonly describedBy: string;
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
export class DefinitionEditor extends TextEditor {
  constructor(parent: HTMLElement, options: DefinitionEditorOptions) {
    const attributes = {
      'data-testid': 'definition-text',
      'aria-describedby': options.describedBy,
      spellcheck: 'false',
    };
    super(parent, options, attributes, [lineNumbers(), wrongLines]);
  }

  /** Marks lines, counted from 1. */
  mark(lines: readonly number[]): void {
    this.view.dispatch({ effects: setWrong.of(lines) });
  }
}
