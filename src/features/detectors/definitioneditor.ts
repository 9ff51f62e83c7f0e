import { autocompletion, type CompletionContext } from '@codemirror/autocomplete';
import { StateEffect, StateField, type Range } from '@codemirror/state';
import {
  Decoration,
  EditorView,
  lineNumbers,
  WidgetType,
  type DecorationSet,
} from '@codemirror/view';

import { visibleLine } from '../../base/visible';
import type { DefinitionCompletion } from '../../state/detectors/definitioncomplete';
import { TextEditor, type TextEditorOptions } from '../controls/texteditor';

export interface DefinitionEditorOptions extends TextEditorOptions {
  /** The id of the element that lists the problems. */
  readonly describedBy: string;
  complete(text: string, at: number): DefinitionCompletion | null;
}

/** The problem of a line, counted from 1. */
export interface LineProblem {
  readonly line: number;
  readonly text: string;
}

/** The text of a problem below its line. The list that describes the editor says it too. */
class ProblemWidget extends WidgetType {
  constructor(readonly text: string) {
    super();
  }

  override eq(other: ProblemWidget): boolean {
    return other.text === this.text;
  }

  override toDOM(): HTMLElement {
    const element = document.createElement('div');
    element.className = 'line-problem';
    element.ariaHidden = 'true';
    element.textContent = visibleLine(this.text);
    return element;
  }
}

const setWrong = StateEffect.define<readonly LineProblem[]>();

/** Lines with a problem. They move along with the text until the next check. */
const wrongLines = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, transaction) {
    const found = transaction.effects.find((effect) => effect.is(setWrong));
    if (!found) return shown.map(transaction.changes);
    const doc = transaction.newDoc;
    const marks = found.value
      .filter(({ line }) => line >= 1 && line <= doc.lines)
      .flatMap(({ line, text }): Range<Decoration>[] => {
        const { from, to } = doc.line(line);
        const widget = Decoration.widget({ widget: new ProblemWidget(text), block: true, side: 1 });
        return [Decoration.line({ class: 'wrong-line' }).range(from), widget.range(to)];
      });
    return Decoration.set(marks, true);
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
    const complete = ({ state, pos, explicit }: CompletionContext) => {
      const found = options.complete(state.doc.toString(), pos);
      // An empty line offers its keys only on request.
      if (found === null || (!explicit && found.from === pos)) return null;
      const offered = found.options.map((label) => ({
        label,
        apply: found.isKey ? `${label} = ` : label,
      }));
      return { from: found.from, options: offered, filter: false };
    };
    const completion = autocompletion({ override: [complete], icons: false });
    super(parent, options, attributes, [lineNumbers(), wrongLines, completion]);
  }

  mark(problems: readonly LineProblem[]): void {
    this.view.dispatch({ effects: setWrong.of(problems) });
  }
}
