// @vitest-environment jsdom
import { expect, it, vi } from 'vitest';

import { chordOf, handleKey, keycaps, keyText, SHORTCUTS, withKey } from './keys';
import { texts } from './texts';
import page from '../../docs/keyboard.md?raw';

const press = (key: string, more: KeyboardEventInit = {}) =>
  new KeyboardEvent('keydown', { key, cancelable: true, ...more });

it('names keys as they are printed', () => {
  expect(chordOf(press('z', { ctrlKey: true }))).toBe('Ctrl+Z');
  expect(chordOf(press('Z', { metaKey: true, shiftKey: true }))).toBe('Ctrl+Shift+Z');
  expect(chordOf(press('G', { shiftKey: true }))).toBe('G');
  expect(chordOf(press('?', { shiftKey: true }))).toBe('?');
  expect(chordOf(press('¡', { altKey: true, code: 'Digit1' }))).toBe('Alt+1');
  const altGraph = { altKey: true, ctrlKey: true, modifierAltGraph: true };
  expect(chordOf(press('[', altGraph))).toBe('[');
  expect(chordOf(press('ArrowUp', { altKey: true }))).toBe('Alt+ArrowUp');
  expect(chordOf(press('Tab', { shiftKey: true }))).toBe('Shift+Tab');
  expect(chordOf(press(' ', { ctrlKey: true }))).toBe('Ctrl+Space');
  expect(keycaps('Ctrl+Shift+ArrowUp', false)).toEqual(['Ctrl', 'Shift', '↑']);
});

it('shows the keys of a Mac on a Mac', () => {
  expect(keycaps('Ctrl++', true)).toEqual(['⌘', '+']);
  expect(keyText('redo', true)).toBe('⌘ ⇧ Z');
  expect(keyText('query-suggest', true)).toBe('⌃ Space');
  expect(withKey('Undo', 'undo')).toBe('Undo (Ctrl Z)');
});

it('gives a key to the first handler that takes it, and to no other part of the screen', () => {
  const run = vi.fn();
  const event = press('Enter');
  const taken = { 'bars-zoom': run, open: () => expect.unreachable() };
  expect(handleKey(event, { 'cells-filter': () => false, ...taken })).toBe(true);
  expect(run).toHaveBeenCalledWith('Enter');
  expect(event.defaultPrevented).toBe(true);
  expect(handleKey(event, taken)).toBe(false);
  expect(handleKey(press('Enter', { shiftKey: true }), taken)).toBe(false);
  expect(handleKey(press('é'), { 'menu-letter': run })).toBe(true);
});

const sources = Object.entries(
  import.meta.glob<string>(
    [
      '../**/*.ts',
      '../**/*.svelte',
      '!../**/*.test.ts',
      '!./keys.ts',
      '!./texts/keys.ts',
      '!../state/**',
    ],
    { query: '?raw', import: 'default', eager: true },
  ),
).map(([path, text]) => ({ path, text }));

it('handles no key that is not in the table', () => {
  const own = /\b(?:event|pressed)\.(?:key|code)\b|\bkeys: \[|\{ key: '|\bkeydown'.*=>.*\.key\b/;
  expect(sources.filter(({ text }) => own.test(text)).map(({ path }) => path)).toEqual([]);
  const deaf = sources.filter(({ text }) => /\bonkeydown|'keydown'/.test(text));
  const reads = /\b(?:handleKey|isKey|moveInRows|commands\.obey)\(|\{moveInRows\}/;
  expect(deaf.filter(({ text }) => !reads.test(text)).map(({ path }) => path)).toEqual([]);
});

it('has no key in the table that nothing handles', () => {
  const all = sources.map(({ text }) => text).join('\n');
  // Tabs, and marks of the list, have ids of two parts.
  const isMade = (id: string) =>
    /^(?:tab|next|previous)-/.test(id) && all.includes(`keyCommand(\`${id.split('-')[0]}-\${`);
  const isNamed = (id: string) => new RegExp(`'${id}'|\\b${id}(?::|,| \\})`).test(all);
  const unused = [...SHORTCUTS.keys()].filter((id) => !isMade(id) && !isNamed(id));
  expect(unused).toEqual([]);
});

it('describes every key in docs/keyboard.md', async () => {
  const rows = (place: string) =>
    [...SHORTCUTS.values()]
      .filter((each) => each.place === place)
      .map(({ does, keys }) => {
        const shown = keys.map((key) => `\`${keycaps(key, false).join(' ')}\``).join(', ');
        return `| ${shown} | ${does} |`;
      });
  const tables = Object.entries(texts.commands.groups).map(([place, name]) =>
    [`## ${name}`, '', '| Key | What it does |', '|---|---|', ...rows(place), ''].join('\n'),
  );
  const start = page.indexOf('## ');
  const expected = `${page.slice(0, start)}${tables.join('\n')}`;
  await expect(expected).toMatchFileSnapshot('../../docs/keyboard.md');
});
