/** Items of a menu that can have the focus, in their order. */
function itemsOf(menu: HTMLElement): HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>('[role="menuitem"]:not(:disabled)')];
}

export function focusFirstItem(menu: HTMLElement): void {
  itemsOf(menu)[0]?.focus();
}

/**
 * Moves the focus in a menu, as the ARIA practices for menus describe: arrow keys with wrap-around,
 * Home, End, and a letter for the next item that begins with it. False for any other key.
 */
export function moveInMenu(menu: HTMLElement, key: string): boolean {
  const items = itemsOf(menu);
  const at = items.indexOf(document.activeElement as HTMLElement);
  const target = targetOf(items, at, key);
  target?.focus();
  return target !== undefined;
}

/** Null if the key has a meaning but no item to go to; undefined if it has no meaning. */
function targetOf(
  items: readonly HTMLElement[],
  at: number,
  key: string,
): HTMLElement | null | undefined {
  const count = items.length;
  if (key === 'ArrowDown') return items[(at + 1) % count] ?? null;
  if (key === 'ArrowUp') return items[(Math.max(at, 0) - 1 + count) % count] ?? null;
  if (key === 'Home') return items[0] ?? null;
  if (key === 'End') return items[count - 1] ?? null;
  if (!/^[\p{L}\p{N}]$/u.test(key)) return undefined;
  const letter = key.toLowerCase();
  const following = [...items.slice(at + 1), ...items.slice(0, at + 1)];
  const begins = (item: HTMLElement) => item.textContent?.trim().toLowerCase().startsWith(letter);
  return following.find(begins) ?? null;
}
