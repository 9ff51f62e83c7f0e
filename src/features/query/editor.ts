import {
  acceptCompletion,
  autocompletion,
  closeCompletion,
  completionStatus,
  moveCompletionSelection,
  selectedCompletion,
  startCompletion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, insertNewline } from '@codemirror/commands';
import { setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { Compartment, EditorState, Prec, StateEffect, StateField } from '@codemirror/state';
import { Decoration, EditorView, keymap, placeholder, type DecorationSet } from '@codemirror/view';

import { formatCount } from '../../base/format';
import type { Completion, QueryCheck, QueryDiagnostic, QueryWord } from '../../ipc/generated';
import { editorKeys } from '../controls/texteditor';

export interface EditorOptions {
  readonly text: string;
  readonly label: string;
  readonly hint: string;
  check(query: string, signal: AbortSignal): Promise<QueryCheck>;
  complete(query: string, cursor: number, signal: AbortSignal): Promise<Completion>;
  /** Called when a person changes the text. */
  typed(text: string): void;
  run(): void;
  /** The n-th recent query, 0 being the newest; null beyond the oldest. */
  recent(back: number): string | null;
  /** Applies the fix. */
  mend(): void;
  left(): void;
  /** The diagnostics of the current text, with their fixes. */
  checked(text: string, check: QueryCheck): void;
}

/** A check waits this long for the next key. */
const CHECK_PAUSE_MS = 90;

const setWords = StateEffect.define<readonly QueryWord[]>();

/** The tokens of the last check, moved along with the text until the next one. */
const words = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, transaction) {
    const found = transaction.effects.find((effect) => effect.is(setWords));
    if (!found) return shown.map(transaction.changes);
    const length = transaction.newDoc.length;
    const marks = found.value
      .filter((word) => word.start < word.end && word.end <= length)
      .map((word) => Decoration.mark({ class: `word-${word.class}` }).range(word.start, word.end));
    return Decoration.set(marks, true);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** The beginning of SQL, whose lines stay as they are pasted: a comment ends with its line. */
const SQL = /^\s*(?:select|with)\s/i;

/** The text of the query, highlighted, completed and checked by the engine. */
export class QueryEditor {
  readonly #options: EditorOptions;
  readonly #view: EditorView;
  readonly #validity = new Compartment();
  #pause: ReturnType<typeof setTimeout> | undefined;
  #checking = new AbortController();
  #diagnostics: readonly QueryDiagnostic[] = [];
  /** The position in the recent queries; -1 is the text that was being typed. */
  #back = -1;
  #unasked = '';

  constructor(parent: HTMLElement, options: EditorOptions) {
    this.#options = options;
    this.#view = new EditorView({
      parent,
      state: EditorState.create({
        doc: options.text,
        extensions: [
          history(),
          words,
          EditorView.clipboardInputFilter.of((text) =>
            SQL.test(text) || SQL.test(this.text) ? text : text.replace(/\s*[\r\n]+\s*/g, ' '),
          ),
          EditorView.contentAttributes.of({
            'data-testid': 'query',
            'aria-label': options.label,
            'aria-multiline': 'true',
            tabindex: '0',
            spellcheck: 'false',
            autocapitalize: 'off',
          }),
          this.#validity.of([]),
          placeholder(options.hint),
          autocompletion({
            override: [(context) => this.#complete(context)],
            // Enter runs the query; a suggestion is accepted only if it was selected.
            selectOnOpen: false,
            icons: false,
            maxRenderedOptions: 50,
          }),
          Prec.highest(
            editorKeys({
              'query-run': () => this.#enter(),
              'query-line': insertNewline,
              'query-suggest': startCompletion,
              'query-take': () => this.#take(),
              'query-mend': () => this.#mend(),
              'query-older': () => this.#walk(1),
              'query-newer': () => this.#walk(-1),
              'query-leave': () => this.#escape(),
            }),
          ),
          keymap.of([...historyKeymap, ...defaultKeymap]),
          EditorView.domEventHandlers({ blur: () => this.#left() }),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged) return;
            const byPerson = update.transactions.some(
              (transaction) =>
                transaction.isUserEvent('input') ||
                transaction.isUserEvent('delete') ||
                transaction.isUserEvent('undo') ||
                transaction.isUserEvent('redo'),
            );
            if (byPerson) {
              this.#back = -1;
              options.typed(update.state.doc.toString());
            }
            this.#checkSoon();
          }),
        ],
      }),
    });
    this.#checkSoon();
  }

  get text(): string {
    return this.#view.state.doc.toString();
  }

  /** Replaces the text; undo brings the old one back. */
  set text(text: string) {
    if (text === this.text) return;
    this.#view.dispatch({
      changes: { from: 0, to: this.#view.state.doc.length, insert: text },
      selection: { anchor: text.length },
    });
  }

  set invalid(described: string | null) {
    const attributes: Record<string, string> =
      described === null ? {} : { 'aria-invalid': 'true', 'aria-describedby': described };
    this.#view.dispatch({
      effects: this.#validity.reconfigure(EditorView.contentAttributes.of(attributes)),
    });
  }

  focus(): void {
    this.#view.focus();
    this.#view.dispatch({ selection: { anchor: 0, head: this.#view.state.doc.length } });
  }

  /** Continues the text at its end. */
  goOn(): void {
    this.#view.focus();
    this.#view.dispatch({ selection: { anchor: this.#view.state.doc.length } });
  }

  /** Applies the first fix of the check. */
  fix(): boolean {
    const found = this.#diagnostics.find(({ replacement }) => replacement !== null);
    if (!found || found.replacement === null) return false;
    this.#view.dispatch({
      changes: { from: found.start, to: found.end, insert: found.replacement },
      userEvent: 'input.complete',
    });
    return true;
  }

  dispose(): void {
    clearTimeout(this.#pause);
    this.#checking.abort();
    this.#view.destroy();
  }

  #mend(): boolean {
    this.#options.mend();
    return true;
  }

  #enter(): boolean {
    if (completionStatus(this.#view.state) === 'active' && selectedCompletion(this.#view.state)) {
      return acceptCompletion(this.#view);
    }
    closeCompletion(this.#view);
    this.#options.run();
    return true;
  }

  /** Walks through the recent queries; before the newest is the text that was being typed. */
  #walk(by: number): boolean {
    // The newest can be equal to the current text.
    const isShown = this.#back < 0 && this.#options.recent(0) === this.text;
    const back = this.#back + (isShown && by > 0 ? 2 : by);
    const query = back < 0 ? this.#unasked : this.#options.recent(back);
    if (query === null || back < -1) return true;
    if (this.#back < 0) this.#unasked = this.text;
    this.text = query;
    this.#back = back;
    this.#options.typed(query);
    return true;
  }

  /** Accepts the selected suggestion, otherwise the first. */
  #take(): boolean {
    if (completionStatus(this.#view.state) !== 'active') return false;
    if (!selectedCompletion(this.#view.state)) moveCompletionSelection(true)(this.#view);
    // A suggestion that has just appeared cannot be accepted yet; the key must not leave the bar.
    acceptCompletion(this.#view);
    return true;
  }

  #escape(): boolean {
    if (closeCompletion(this.#view)) return true;
    this.#view.contentDOM.blur();
    return true;
  }

  /** A query that is longer than the bar is shown from its beginning. */
  #left(): void {
    this.#view.scrollDOM.scrollLeft = 0;
    this.#options.left();
  }

  #checkSoon(): void {
    clearTimeout(this.#pause);
    this.#checking.abort();
    this.#diagnostics = [];
    this.#pause = setTimeout(() => void this.#check(), CHECK_PAUSE_MS);
  }

  async #check(): Promise<void> {
    this.#checking = new AbortController();
    const { signal } = this.#checking;
    const text = this.text;
    // A failed check shows nothing; running the query will.
    const check = await this.#options.check(text, signal).catch(() => null);
    if (check === null || signal.aborted || text !== this.text) return;
    this.#diagnostics = check.diagnostics;
    this.#view.dispatch(
      { effects: setWords.of(check.words) },
      setDiagnostics(this.#view.state, check.diagnostics.map(shownDiagnostic)),
    );
    this.#options.checked(text, check);
  }

  async #complete(context: CompletionContext): Promise<CompletionResult | null> {
    const text = context.state.doc.toString();
    if (text === '' && !context.explicit) return null;
    const abort = new AbortController();
    context.addEventListener('abort', () => abort.abort());
    const found = await this.#options.complete(text, context.pos, abort.signal).catch(() => null);
    if (found === null || found.suggestions.length === 0) return null;
    return {
      from: found.start,
      to: found.end,
      filter: false,
      options: found.suggestions.map((suggestion) => ({
        label: suggestion.label,
        apply: suggestion.insert,
        detail: suggestion.count === null ? suggestion.detail : formatCount(suggestion.count),
        type: suggestion.kind,
      })),
    };
  }
}

function shownDiagnostic(found: QueryDiagnostic): Diagnostic {
  return {
    from: found.start,
    to: found.end,
    severity: found.isError ? 'error' : 'info',
    message: found.hint === null ? found.message : `${found.message} ${found.hint}`,
  };
}
