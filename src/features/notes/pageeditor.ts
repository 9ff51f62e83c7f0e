import type { Extension } from '@codemirror/state';
import { EditorView, placeholder } from '@codemirror/view';

import { editorKeys, TextEditor, type TextEditorOptions } from '../controls/texteditor';

export interface PageEditorOptions extends TextEditorOptions {
  readonly hint: string;
  readonly testid: string;
  /** Called when the editor gets the focus, loses it, and when its caret moves. */
  focused(caret: number): void;
  left(): void;
  /** Leads on from the first line up, or from the last one down. True if there is another block. */
  leads(step: -1 | 1): boolean;
}

/** A block of a notebook page as a text editor. */
export class PageEditor extends TextEditor {
  constructor(parent: HTMLElement, options: PageEditorOptions) {
    const attributes = { 'data-testid': options.testid, spellcheck: 'true' };
    const leads = (step: -1 | 1) => (view: EditorView) => {
      const { doc, selection } = view.state;
      // A line that wraps has several rows, and the caret goes through them first.
      const end = view.coordsAtPos(step < 0 ? 0 : doc.length);
      const caret = view.coordsAtPos(selection.main.head);
      const isLast = end !== null && caret !== null && Math.abs(end.top - caret.top) < 1;
      return selection.main.empty && isLast && options.leads(step);
    };
    const extensions: Extension = [
      placeholder(options.hint),
      editorKeys({ 'block-above': leads(-1), 'block-below': leads(1) }),
      EditorView.updateListener.of(({ view, selectionSet, focusChanged }) => {
        if (view.hasFocus && (selectionSet || focusChanged))
          options.focused(view.state.selection.main.head);
        else if (focusChanged) options.left();
      }),
    ];
    super(parent, options, attributes, extensions);
  }

  /** Gives it the focus, with the caret at its start or its end. */
  enter(atStart: boolean): void {
    const anchor = atStart ? 0 : this.view.state.doc.length;
    this.view.dispatch({ selection: { anchor }, scrollIntoView: true });
    this.focus();
  }
}
