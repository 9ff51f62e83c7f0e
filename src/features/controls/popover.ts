/**
 * The one primitive of menus and popups: an element on the browser's top layer, where nothing clips it, next to what it
 * belongs to. It is open while it is in the document. Escape and a press outside close it, and the focus returns to
 * where it was.
 */
import { untrack } from 'svelte';
import type { Attachment } from 'svelte/attachments';

import { handleKey } from '../../base/keys';
import { popoverPlace, type Box, type PlaceWish } from '../../base/popoverplace';

interface PopoverOptions extends Partial<PlaceWish> {
  /** What it belongs to; undefined while that is not rendered. */
  readonly anchor: () => Element | Box | undefined;
  /** It was closed by a key or a press outside: the element must be removed. */
  readonly closed: () => void;
}

/** A press on the button with `popovertarget` of this popover does not close it; the button does. */
export function popover(options: PopoverOptions): Attachment<HTMLElement> {
  return (element) => untrack(() => opened(element, options));
}

/** Closes the popover that an element is in. The focus returns at once, so that an action can move it. */
export function closePopover(inside: Element | undefined): void {
  inside?.closest<HTMLElement>('[popover]:popover-open')?.hidePopover();
}

function opened(element: HTMLElement, options: PopoverOptions): () => void {
  const { anchor, closed, side = 'left', up = false } = options;
  const before = document.activeElement;
  const listeners = new AbortController();
  const { signal } = listeners;

  function place(): void {
    const target = anchor();
    if (target === undefined) return;
    element.style.maxHeight = 'var(--most-height, 100vh)';
    const box = target instanceof Element ? target.getBoundingClientRect() : target;
    const size = { width: element.offsetWidth, height: element.offsetHeight };
    const room = { width: window.innerWidth, height: window.innerHeight };
    const { left, top, mostHeight } = popoverPlace(box, size, room, { side, up });
    element.style.left = `${left}px`;
    element.style.top = `${top}px`;
    element.style.maxHeight = `min(var(--most-height, 100vh), ${mostHeight}px)`;
  }

  element.popover = 'auto';
  element.addEventListener('toggle', ({ newState }) => newState === 'closed' && closed(), {
    signal,
  });
  element.showPopover();
  place();
  const resized = new ResizeObserver(place);
  for (const child of element.children) resized.observe(child);
  window.addEventListener('resize', place, { signal });
  const scrolled = ({ target }: Event) => !element.contains(target as Node) && place();
  document.addEventListener('scroll', scrolled, { signal, capture: true, passive: true });
  // Before the keys of the screen, for which Escape has other meanings. The innermost popover is closed first.
  const close = () => element.querySelector(':popover-open') === null && element.hidePopover();
  const keyed = (event: KeyboardEvent) => {
    if (handleKey(event, { close })) event.stopPropagation();
  };
  document.addEventListener('keydown', keyed, { signal, capture: true });

  return () => {
    listeners.abort();
    resized.disconnect();
    // The focused element may have been removed with the popover.
    const isLost = document.activeElement === null || document.activeElement === document.body;
    if (isLost && before instanceof HTMLElement) before.focus();
  };
}
