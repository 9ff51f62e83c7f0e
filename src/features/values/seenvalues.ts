/** The values on the screen, by the elements that show them: the one menu of values finds them here. */
import type { Attachment } from 'svelte/attachments';

import type { Box } from '../../base/popoverplace';
import type { SeenValue } from '../../state/values/valueactions';

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface FoundValue {
  readonly seen: SeenValue;
  /** The element that shows it, or the cell in whose text it is. */
  readonly element: Element;
  /** The text of it. */
  readonly range: Range;
}

/** Finds the value at a point, or by keys, without one. */
export type FindValue = (
  target: Element,
  point: Point | null,
) => FoundValue | null | Promise<FoundValue | null>;

const finders = new WeakMap<Element, FindValue>();

/** The element, or what is in it, shows values. */
export function findsValues(find: FindValue): Attachment<HTMLElement> {
  return (element) => {
    finders.set(element, find);
    return () => finders.delete(element);
  };
}

/** The element shows one value; none if null. It is a tab stop by itself where it is in no grid. */
export function seen(value: SeenValue | null, { isStop = false } = {}): Attachment<HTMLElement> {
  return (element) => {
    if (value === null) return;
    element.dataset['seen'] = '';
    if (isStop) element.tabIndex = 0;
    finders.set(element, () => ({ seen: value, element, range: contentOf(element) }));
    return () => {
      delete element.dataset['seen'];
      finders.delete(element);
    };
  };
}

export function contentOf(element: Element): Range {
  const range = document.createRange();
  range.selectNodeContents(element);
  return range;
}

/** How values are found where an element is; null where none is shown. */
export function finderAt(target: EventTarget | null): FindValue | null {
  for (let at = target instanceof Element ? target : null; at !== null; at = at.parentElement) {
    const find = finders.get(at);
    if (find !== undefined) return find;
  }
  return null;
}

/** Where a value is visible. */
export function boxOf({ element, range }: FoundValue): Box {
  const text = range.getBoundingClientRect();
  const { left, top, right, bottom } = element.getBoundingClientRect();
  return {
    left: Math.max(left, Math.min(text.left, right)),
    top: Math.max(top, Math.min(text.top, bottom)),
    right: Math.min(right, Math.max(text.right, left)),
    bottom: Math.min(bottom, Math.max(text.bottom, top)),
  };
}

/** The tools of a value take this much of it at most; narrower values are left of them. */
const LEAST_VISIBLE_PX = 40;
const GAP_PX = 2;

/** The left edge of the tools: after the value, in its cell if the value stays readable. */
export function toolsLeft(value: Box, cell: Box, widthPx: number, roomPx: number): number {
  const after = value.right + GAP_PX;
  const inside = cell.right - widthPx;
  const left = after > inside && inside >= value.left + LEAST_VISIBLE_PX ? inside : after;
  return Math.max(0, Math.min(left, roomPx - widthPx));
}
