import { keys } from './texts/keys';

export type Place = keyof typeof keys;
/** A row of the table of keys. */
export type KeyId = { [P in Place]: keyof (typeof keys)[P] }[Place];

export interface Shortcut {
  readonly id: KeyId;
  readonly place: Place;
  readonly does: string;
  readonly keys: readonly string[];
}

/** The rows of the table by their ids, in its order. */
export const SHORTCUTS: ReadonlyMap<string, Shortcut> = new Map(
  Object.entries(keys).flatMap(([place, rows]) =>
    Object.entries(rows).map(([id, [does, ...keys]]): [string, Shortcut] => [
      id,
      { id: id as KeyId, place: place as Place, does, keys },
    ]),
  ),
);

export function shortcut(id: KeyId): Shortcut {
  return SHORTCUTS.get(id)!;
}

/**
 * Keys as printed: `Ctrl+Shift+Z`, `Alt+1`, `G`, `?`. Ctrl means the Command key too. Shift is only
 * named with keys that type nothing, because `G` already implies it.
 */
export interface Pressed {
  readonly key: string;
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  getModifierState(name: string): boolean;
}

export function chordOf(event: Pressed): string {
  // If a character needs AltGr, systems report Ctrl and Alt as well.
  const typed = event.getModifierState('AltGraph');
  const ctrl = !typed && (event.ctrlKey || event.metaKey);
  const alt = !typed && event.altKey;
  const digit = /^Digit(\d)$/.exec(event.code)?.[1];
  // With Alt some keyboards type symbols with the digit row.
  const plain = alt && digit !== undefined ? digit : event.key;
  const isCharacter = [...plain].length === 1;
  const key = plain === ' ' ? 'Space' : ctrl || alt ? plain.toUpperCase() : plain;
  const named = isCharacter ? key : plain;
  const shift = event.shiftKey && (!isCharacter || ((ctrl || alt) && /\p{L}/u.test(plain)));
  return [ctrl && 'Ctrl', alt && 'Alt', shift && 'Shift', named].filter(Boolean).join('+');
}

/** Handles a key, given without Ctrl, Alt and Shift. False leaves the key to others. */
export type KeyHandler = (key: string) => unknown;
export type KeyHandlers = Readonly<Partial<Record<KeyId, KeyHandler>>>;

/** Calls the handler of a pressed key; its event then means nothing to others. False if none of them took it. */
export function handleKey(event: KeyboardEvent, handlers: KeyHandlers): boolean {
  if (event.defaultPrevented) return false;
  const chord = chordOf(event);
  const name = /^[\p{L}\p{N}]$/u.test(chord) ? [chord, 'Letter'] : [chord];
  for (const [id, run] of Object.entries(handlers)) {
    if (!shortcut(id as KeyId).keys.some((key) => name.includes(key))) continue;
    if (run(chord.split(/\+(?!$)/).at(-1)!) === false) continue;
    event.preventDefault();
    return true;
  }
  return false;
}

export function isKey(event: Pressed, id: KeyId): boolean {
  return shortcut(id).keys.includes(chordOf(event));
}

const IDLE = new Set(['Tab', 'Shift', 'Control', 'Alt', 'Meta', 'AltGraph']);

/** Whether a key only moves the focus, or waits for another. */
export function isIdle(event: Pressed): boolean {
  return IDLE.has(event.key);
}

/** How far a key moves. */
const STEPS = new Map([
  ['ArrowLeft', -1],
  ['ArrowUp', -1],
  ['ArrowRight', 1],
  ['ArrowDown', 1],
  ['PageUp', -10],
  ['PageDown', 10],
  ['Home', -Infinity],
  ['End', Infinity],
]);

export function stepOf(key: string): number {
  return STEPS.get(key) ?? 0;
}

/** The item of a list to which a key moves; undefined beyond its ends. */
export function steppedTo<T>(items: readonly T[], at: number, key: string): T | undefined {
  if (key === 'Home') return items[0];
  if (key === 'End') return items.at(-1);
  return items[at + stepOf(key)];
}

/** Keys that a focused button, tab or list uses itself. */
const OF_CONTROLS = new Set([...STEPS.keys(), 'Enter', 'Space', 'Backspace', 'Delete']);

export function belongsToControls(chord: string): boolean {
  return OF_CONTROLS.has(chord);
}

const SHOWN: Readonly<Record<string, string>> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  PageUp: 'PgUp',
  PageDown: 'PgDn',
  Escape: 'Esc',
  Delete: 'Del',
  Control: 'Ctrl',
  ContextMenu: 'Menu',
  Letter: 'A–Z',
};
const SHOWN_ON_MAC: Readonly<Record<string, string>> = {
  ...SHOWN,
  Ctrl: '⌘',
  Control: '⌃',
  Alt: '⌥',
  Shift: '⇧',
};

const isMac = () => typeof navigator !== 'undefined' && /^Mac|^iP/.test(navigator.platform);

/** The keys of a shortcut as they are printed on a keyboard. */
export function keycaps(chord: string, mac = isMac()): string[] {
  const shown = mac ? SHOWN_ON_MAC : SHOWN;
  return chord.split(/\+(?!$)/).map((key) => shown[key] ?? key);
}

/** The first key of a row, for a text: `Ctrl Z`, or `⌘ Z` on macOS. */
export function keyText(id: KeyId, mac = isMac()): string {
  return keycaps(shortcut(id).keys[0]!, mac).join(' ');
}

/** A tooltip with its key. */
export function withKey(text: string, id: KeyId): string {
  return `${text} (${keyText(id)})`;
}

/** A key as CodeMirror names it. */
export function editorKey(chord: string): string {
  const names: Readonly<Record<string, string>> = { Ctrl: 'Mod', Control: 'Ctrl' };
  return chord
    .split(/\+(?!$)/)
    .map((key) => names[key] ?? key)
    .join('-');
}
