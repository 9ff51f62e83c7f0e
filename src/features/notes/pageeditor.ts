import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, placeholder } from '@codemirror/view';

export interface PageEditorOptions {
  readonly text: string;
  readonly label: string;
  readonly hint: string;
  /** Called when a person changes the text. */
  typed(text: string): void;
}

/** A notebook page as a text editor. */
export class PageEditor {
  readonly #view: EditorView;
  /** True while the text is replaced by the program. */
  #setting = false;

  constructor(parent: HTMLElement, options: PageEditorOptions) {
    this.#view = new EditorView({
      parent,
      state: EditorState.create({
        doc: options.text,
        extensions: [
          history(),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({
            'data-testid': 'page-text',
            'aria-label': options.label,
            'aria-multiline': 'true',
            spellcheck: 'true',
          }),
          placeholder(options.hint),
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

  /** Replaces the text; the cursor stays where it was, as far as possible. */
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

  /** Inserts a block at the cursor, and moves the cursor after it. */
  insert(block: string): void {
    const { state } = this.#view;
    const line = state.doc.lineAt(state.selection.main.head);
    const before = line.text.trim() === '' ? '' : '\n\n';
    const insert = `${before}${block}\n`;
    this.#view.dispatch({
      changes: { from: line.to, insert },
      selection: { anchor: line.to + insert.length },
      scrollIntoView: true,
    });
    this.#view.focus();
  }

  focus(): void {
    this.#view.focus();
  }

  dispose(): void {
    this.#view.destroy();
  }
}
