/** Positions in the text that an element shows, counted over all of its text nodes. */

interface Point {
  readonly x: number;
  readonly y: number;
}

function textNodes(element: Element): Text[] {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  while (walker.nextNode() !== null) nodes.push(walker.currentNode as Text);
  return nodes;
}

/** The part of an element's text between two positions. */
export function textRange(element: Element, from: number, to: number): Range {
  const range = document.createRange();
  range.selectNodeContents(element);
  let before = 0;
  for (const node of textNodes(element)) {
    const end = before + node.length;
    if (from >= before && from < end) range.setStart(node, from - before);
    if (to > before && to <= end) range.setEnd(node, to - before);
    before = end;
  }
  return range;
}

/** The position of the letter under a point; null where there is none. */
export function letterAt(element: Element, { x, y }: Point): number | null {
  const caret = caretAt(x, y);
  const before = textNodes(element);
  const node = before.indexOf(caret?.node as Text);
  if (caret === null || node < 0) return null;
  const at = before.slice(0, node).reduce((sum, { length }) => sum + length, caret.offset);
  const isUnder = (letter: number) => {
    if (letter < 0) return false;
    const box = textRange(element, letter, letter + 1).getBoundingClientRect();
    return x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
  };
  // A caret is between two letters, on the nearer edge of the one under the point.
  return [at - 1, at].find(isUnder) ?? null;
}

function caretAt(x: number, y: number): { node: Node; offset: number } | null {
  if ('caretPositionFromPoint' in document) {
    const caret = document.caretPositionFromPoint(x, y);
    return caret === null ? null : { node: caret.offsetNode, offset: caret.offset };
  }
  // WebKit has only the older one.
  const range = (document as Document).caretRangeFromPoint(x, y);
  return range === null ? null : { node: range.startContainer, offset: range.startOffset };
}
