// @vitest-environment jsdom
import { expect, test } from 'vitest';

import { focusFirstItem, moveInMenu } from './menukeys';

function menu(...labels: string[]) {
  const list = document.createElement('div');
  list.innerHTML = labels
    .map((label) =>
      label.startsWith('!')
        ? `<button role="menuitem" disabled>${label.slice(1)}</button>`
        : `<button role="menuitem"> ${label} </button>`,
    )
    .join('');
  document.body.replaceChildren(list);
  focusFirstItem(list);
  const focused = () => document.activeElement?.textContent?.trim();
  const press = (key: string) => (moveInMenu(list, key) ? focused() : null);
  return { press, focused };
}

test('arrow keys wrap around and skip disabled items, Home and End go to the ends', () => {
  const { press, focused } = menu('!Off', 'Copy', '!Cut', 'Export', 'Paste');
  expect(focused()).toBe('Copy');
  expect(['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp'].map((key) => press(key))).toEqual([
    'Export',
    'Paste',
    'Copy',
    'Paste',
  ]);
  expect([press('Home'), press('End')]).toEqual(['Copy', 'Paste']);
});

test('a letter goes to the next item that begins with it', () => {
  const { press } = menu('Sort ascending', 'Sort descending', 'Remove');
  expect([press('s'), press('S'), press('r'), press('x')]).toEqual([
    'Sort descending',
    'Sort ascending',
    'Remove',
    'Remove',
  ]);
});

test('other keys are not handled, and an empty menu does not fail', () => {
  expect(menu('A').press('Escape')).toBeNull();
  expect(menu('!A').press('ArrowDown')).not.toBeNull();
});
