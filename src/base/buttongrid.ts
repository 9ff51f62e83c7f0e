import type { Attachment } from 'svelte/attachments';

import { handleKey } from './keys';

const STEPS: Readonly<Record<string, readonly [down: number, right: number]>> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
};

/** Rows of buttons and values with a single tab stop: arrow keys move between them, and Tab returns to the last one. */
export function buttonGrid(rowSelector: string): Attachment<HTMLElement> {
  return (place) => {
    let entered: HTMLElement | undefined;

    function rows(): HTMLElement[][] {
      const all = [...place.querySelectorAll(rowSelector)];
      const buttons = all.map((row) => [
        ...row.querySelectorAll<HTMLElement>('button, [data-seen]'),
      ]);
      return buttons.filter((row) => row.length > 0);
    }

    function lead(): void {
      const buttons = rows().flat();
      const isUsable = (one: HTMLElement) => !one.matches(':disabled');
      if (entered === undefined || !buttons.includes(entered) || !isUsable(entered))
        entered = buttons.find(isUsable);
      for (const button of buttons) button.tabIndex = button === entered ? 0 : -1;
    }

    function focused(event: FocusEvent): void {
      const target = event.target as HTMLElement;
      if (target.closest(rowSelector) === null) return;
      entered = target;
      lead();
    }

    function move(key: string, from: HTMLElement): false | void {
      const [down, right] = STEPS[key]!;
      const all = rows();
      const at = all.findIndex((row) => row.includes(from));
      const row = at < 0 ? undefined : all[at + down];
      // The key scrolls where there is no further row.
      if (row === undefined) return false;
      const column = all[at]!.indexOf(from) + right;
      row[Math.min(Math.max(column, 0), row.length - 1)]?.focus();
    }

    const keyed = (event: KeyboardEvent) =>
      handleKey(event, { grid: (key) => move(key, event.target as HTMLElement) });

    lead();
    const observer = new MutationObserver(lead);
    observer.observe(place, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ['disabled'],
    });
    place.addEventListener('focusin', focused);
    place.addEventListener('keydown', keyed);
    return () => {
      observer.disconnect();
      place.removeEventListener('focusin', focused);
      place.removeEventListener('keydown', keyed);
    };
  };
}
