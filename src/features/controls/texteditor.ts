import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, keymap, type Command } from '@codemirror/view';

import { editorKey, shortcut, type KeyId } from '../../base/keys';

export interface TextEditorOptions {
  readonly text: string;
  readonly label: string;
  /** Called when a person changes the text. */
  typed(text: string): void;
}

/** Commands of an editor at the keys of the table. */
export function editorKeys(commands: Partial<Record<KeyId, Command>>) {
  return keymap.of(
    Object.entries(commands).flatMap(([id, run]) =>
      shortcut(id as KeyId).keys.map((key) => ({ key: editorKey(key), run })),
    ),
  );
}

/** Some lines of text as an editor: a page of the notebook, the definition of a detector. */
export class TextEditor {
  protected readonly view: EditorView;
  /** True while the text is replaced by the program. */
  #setting = false;

  constructor(
    parent: HTMLElement,
    options: TextEditorOptions,
    attributes: Readonly<Record<string, string>>,
    extensions: Extension,
  ) {
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        doc: options.text,
        extensions: [
          history(),
          extensions,
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({
            'aria-label': options.label,
            'aria-multiline': 'true',
            ...attributes,
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
    return this.view.state.doc.toString();
  }

  /** Replaces the text; the cursor stays where it was, as far as possible. */
  set text(text: string) {
    if (text === this.text) return;
    this.#setting = true;
    const anchor = Math.min(this.view.state.selection.main.anchor, text.length);
    this.view.dispatch({
      changes: { from: 0, to: this.view.state.doc.length, insert: text },
      selection: { anchor },
    });
    this.#setting = false;
  }

  focus(): void {
    this.view.focus();
  }

  dispose(): void {
    this.view.destroy();
  }
}
