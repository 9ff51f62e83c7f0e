import { placeholder } from '@codemirror/view';

import { TextEditor, type TextEditorOptions } from '../controls/texteditor';

export interface PageEditorOptions extends TextEditorOptions {
  readonly hint: string;
}

/** A notebook page as a text editor. */
export class PageEditor extends TextEditor {
  constructor(parent: HTMLElement, options: PageEditorOptions) {
    const attributes = { 'data-testid': 'page-text', spellcheck: 'true' };
    super(parent, options, attributes, placeholder(options.hint));
  }

  /** Inserts a block at the cursor, and moves the cursor after it. */
  insert(block: string): void {
    const { state } = this.view;
    const line = state.doc.lineAt(state.selection.main.head);
    const before = line.text.trim() === '' ? '' : '\n\n';
    const insert = `${before}${block}\n`;
    this.view.dispatch({
      changes: { from: line.to, insert },
      selection: { anchor: line.to + insert.length },
      scrollIntoView: true,
    });
    this.focus();
  }
}
