/**
 * A notebook page as a list of blocks: texts, with a cell between two of them. Each has an editor of its own.
 * Invariant: a change of one block leaves every other cell as it is, whatever is typed.
 */

export interface PageBlock {
  readonly id: number;
  readonly isCell: boolean;
  readonly text: string;
  /** The line ends after it. */
  readonly gap: string;
}

/** A place in a block. */
export interface BlockPlace {
  readonly id: number;
  readonly offset: number;
}

type Part = Omit<PageBlock, 'id'>;

/** Something that takes all lines until its end: code between fences, or HTML. */
interface Open {
  readonly ends: (line: string) => boolean;
  /** The line that ends it. */
  readonly closer: string;
  readonly isCell: boolean;
  /** The indentation of the list item that it is in; it ends with that item. */
  readonly item: number;
}

const CELL = /^(query|chart|seismograph|map|events?)(\s|$)/;
const FENCE = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})[ \t]*(.*)$/;
const ITEM = /^( {0,3}(?:[-+*]|\d{1,9}[.)])(?: {1,4}(?=\S)| |$))/;
/** Tags whose HTML takes all lines until an empty one. */
const TAGS =
  'address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|' +
  'fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|' +
  'menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|' +
  'track|ul';
/** HTML: how it begins, and how it ends. */
const HTML: readonly (readonly [begins: RegExp, ends: RegExp, closer: string])[] = [
  [/^ {0,3}<(script|pre|style|textarea)(\s|>|$)/i, /<\/(script|pre|style|textarea)>/i, '</pre>'],
  [/^ {0,3}<!--/, /-->/, '-->'],
  [/^ {0,3}<\?/, /\?>/, '?>'],
  [/^ {0,3}<!\[CDATA\[/, /\]\]>/, ']]>'],
  [/^ {0,3}<![a-z]/i, />/, '>'],
  [new RegExp(`^ {0,3}</?(${TAGS})(\\s|/?>|$)`, 'i'), /^\s*$/, ''],
];
/** Any other tag alone on a line does the same, but not within a paragraph. */
const LONE_TAG = /^ {0,3}<(\/[a-z][a-z\d-]*|[a-z][a-z\d-]*(\s[^<>]*)?)\/?>\s*$/i;

/** Headings and quotes. */
const OTHER_BLOCK = /^ {0,3}(#{1,6}(\s|$)|>)/;

/** Whether a line begins a block even within a paragraph, whose list item then ends. */
const isBlockStart = (line: string) =>
  FENCE.test(line) || OTHER_BLOCK.test(line) || HTML.some(([begins]) => begins.test(line));
const isBlank = (text: string) => text.trim() === '';
const indentOf = (line: string) => line.length - line.trimStart().length;

/** Follows the lines of a page, as CommonMark reads them. */
class LineReader {
  open: Open | null = null;
  #item = 0;
  #wasBlank = true;
  /** Whether the line before is the marker of an item without a text. */
  #isBare = false;

  next(line: string): void {
    const [indent, blank] = [indentOf(line), isBlank(line)];
    if (this.open !== null) {
      if (blank || indent >= this.open.item) {
        if (this.open.ends(line.slice(this.open.item))) this.open = null;
        this.#wasBlank = blank;
        return;
      }
      // The list item ends, and with it its content.
      this.open = null;
      this.#item = 0;
    }
    const item = ITEM.exec(line);
    // An item that begins with two empty lines is over.
    if (blank && this.#isBare) this.#item = 0;
    if (!blank && indent < this.#item && (this.#wasBlank || isBlockStart(line))) this.#item = 0;
    if (item !== null && indent <= this.#item) this.#item = Math.max(2, item[1]!.length);
    const inner = this.#item > 0 && indent >= this.#item ? this.#item : 0;
    this.open = opened(line.slice(inner), inner);
    if (this.open === null && this.#wasBlank && LONE_TAG.test(line.slice(inner)))
      this.open = { ends: isBlank, closer: '', isCell: false, item: inner };
    this.#isBare = item !== null && item[0].length >= line.length;
    // A marker alone has no paragraph that a line could go on.
    this.#wasBlank = blank || this.#isBare;
  }
}

function opened(line: string, item: number): Open | null {
  const fence = FENCE.exec(line);
  if (fence !== null) {
    const [, indent, mark, info] = fence as unknown as [string, string, string, string];
    const end = new RegExp(`^ {0,3}\\${mark[0]!}{${mark.length},}[ \\t]*$`);
    const isCell = indent === '' && item === 0 && CELL.test(info);
    return { ends: (each) => end.test(each), closer: indent + mark, isCell, item };
  }
  for (const [begins, ends, closer] of HTML) {
    const start = begins.exec(line)?.[0];
    if (start === undefined) continue;
    const isEnded = closer !== '' && ends.test(line.slice(start.length - 1));
    return isEnded ? null : { ends: (each) => ends.test(each), closer, isCell: false, item };
  }
  return null;
}

/** The parts of a page: a text first and last, and one between two cells, even if it is empty. */
function partsOf(page: string): Part[] {
  const parts: Part[] = [];
  let lines: string[] = [];
  const put = (isCell: boolean) => {
    const all = lines.join('\n');
    const text = isCell ? all : all.trimEnd();
    const gap = `${all.slice(text.length)}\n`;
    parts.push({ isCell, text: text.replace(/^(?:[ \t]*\n)+/, ''), gap });
    lines = [];
  };
  const reader = new LineReader();
  for (const line of page.replace(/\r\n?/g, '\n').split('\n')) {
    const wasCell = reader.open?.isCell ?? false;
    reader.next(line);
    const isCell = reader.open?.isCell ?? false;
    if (isCell && !wasCell) put(false);
    lines.push(line);
    if (wasCell && !isCell) put(true);
  }
  if (reader.open?.isCell) put(true);
  put(false);
  return parts;
}

/** The blocks of a page. */
export function blocksOf(page: string): PageBlock[] {
  return partsOf(page).map((part, id) => ({ ...part, id }));
}

/** The page of blocks. A fence or tag that a block leaves open is closed, so that it takes nothing of the next one. */
export function pageOf(blocks: readonly PageBlock[]): string {
  const filled = blocks.filter(({ text }) => !isBlank(text));
  const reader = new LineReader();
  let page = '';
  for (const [at, { text, gap }] of filled.entries()) {
    for (const line of text.split('\n')) reader.next(line);
    page += text;
    if (at === filled.length - 1) return page + (gap === '' ? '' : '\n');
    const closer = reader.open?.item === 0 ? reader.open.closer : '';
    if (closer !== '') {
      page += `\n${closer}`;
      reader.next(closer);
    }
    // Some markup, and tables, end only at an empty line.
    page += /\n[ \t]*\n/.test(gap) ? gap : '\n\n';
    reader.next('');
  }
  return page;
}

/** The blocks with another text in one of them. */
export function edited(blocks: readonly PageBlock[], id: number, text: string): PageBlock[] {
  return blocks.map((block) => (block.id === id ? { ...block, text } : block));
}

/** The blocks of a page; those that it has still are the same as before. */
export function settled(before: readonly PageBlock[], page = pageOf(before)): PageBlock[] {
  const parts = partsOf(page);
  let fresh = Math.max(-1, ...before.map(({ id }) => id)) + 1;
  const isSame = (one?: Part, other?: Part) =>
    one?.text === other?.text && one?.isCell === other?.isCell;
  const least = Math.min(before.length, parts.length);
  let [head, tail] = [0, 0];
  while (head < least && isSame(before[head], parts[head])) head += 1;
  while (tail < least - head && isSame(before.at(-1 - tail), parts.at(-1 - tail))) tail += 1;
  const moved = before.length - parts.length;
  return parts.map((part, at) => {
    const old = at < parts.length - tail ? at : at + moved;
    const isKept = at < head || at >= parts.length - tail || at === head || moved === 0;
    const id = before[old]?.isCell === part.isCell && isKept ? before[old].id : (fresh += 1);
    return { ...part, id };
  });
}

/**
 * The blocks with a new cell: after the paragraph of a place, after the cell that the place is in, or at the
 * end. Returns the id of the cell too.
 */
export function withCell(
  blocks: readonly PageBlock[],
  cell: string,
  place: BlockPlace | null,
): { readonly blocks: PageBlock[]; readonly id: number } {
  const id = Math.max(-1, ...blocks.map((block) => block.id)) + 1;
  const found = blocks.findIndex((block) => block.id === place?.id);
  const at = found < 0 ? blocks.length - 1 : found;
  const block = blocks[at]!;
  const isAtEnd = block.isCell || found < 0 || place === null;
  const cut = isAtEnd ? block.text.length : boundaryAfter(block.text, place.offset);
  const [before, after] = [block.text.slice(0, cut), block.text.slice(cut)];
  const put: PageBlock = { id, isCell: true, text: cell.trim(), gap: '\n\n' };
  const rest = { id: id + 1, isCell: false, text: after.replace(/^\n+/, ''), gap: block.gap };
  const parts = block.isCell
    ? [block, { ...rest, text: '', gap: '' }, put]
    : [{ ...block, text: before.trimEnd(), gap: '\n\n' }, put, rest];
  return { blocks: [...blocks.slice(0, at), ...parts, ...blocks.slice(at + 1)], id };
}

/** The end of the first paragraph at or after an offset that is not inside code or HTML. */
function boundaryAfter(text: string, offset: number): number {
  const reader = new LineReader();
  let end = 0;
  const lines = text.split('\n');
  for (const [at, line] of lines.entries()) {
    reader.next(line);
    end += line.length;
    const isOver = reader.open === null && isBlank(lines[at + 1] ?? '');
    if (end >= offset && isOver) return end;
    end += 1;
  }
  return text.length;
}
